/* Something for a C compiler to do without any header.
   This file is part of ld-hugetext.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

struct node
{
  struct node *left, *right;
  int key;
  double weight[16];
};

static const struct node *
search (const struct node *n, int key)
{
  while (n != 0 && n->key != key)
    n = key < n->key ? n->left : n->right;
  return n;
}

double
total (const struct node *tree, const int *keys, int nkeys)
{
  double sum = 0;
  for (int i = 0; i < nkeys; ++i)
    {
      const struct node *n = search (tree, keys[i]);
      if (n != 0)
        for (int j = 0; j < 16; ++j)
          sum += n->weight[j] * (j + 1);
    }
  return sum;
}

int
classify (const char *text)
{
  int state = 0;
  for (; *text != 0; ++text)
    switch (*text)
      {
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        state = state * 10 + (*text - '0');
        break;
      case '+':
      case '-':
        state = -state;
        break;
      case ' ':
      case '\t':
      case '\n':
        continue;
      default:
        return -1;
      }
  return state;
}

void
multiply (const float *restrict a, const float *restrict b, float *restrict c,
          int n)
{
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      {
        float sum = 0;
        for (int k = 0; k < n; ++k)
          sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
      }
}
