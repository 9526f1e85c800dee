# Inference of a small convolution net with onnxruntime.
# This file is part of ld-hugetext.  SPDX-License-Identifier: LGPL-2.1-or-later
import numpy, onnx, onnxruntime
from onnx import helper, numpy_helper, TensorProto
from endless import run

random = numpy.random.default_rng (1)

def weights (name, *shape):
    return numpy_helper.from_array (
        random.standard_normal (shape).astype (numpy.float32), name)

graph = helper.make_graph (
    [helper.make_node ("Conv", ["x", "a"], ["b"]),
     helper.make_node ("Relu", ["b"], ["c"]),
     helper.make_node ("MaxPool", ["c"], ["d"], kernel_shape=[2, 2],
                       strides=[2, 2]),
     helper.make_node ("Flatten", ["d"], ["e"]),
     helper.make_node ("MatMul", ["e", "w"], ["f"]),
     helper.make_node ("LayerNormalization", ["f", "s"], ["g"]),
     helper.make_node ("Softmax", ["g"], ["y"])],
    "net",
    [helper.make_tensor_value_info ("x", TensorProto.FLOAT, [1, 3, 18, 18])],
    [helper.make_tensor_value_info ("y", TensorProto.FLOAT, [1, 10])],
    [weights ("a", 8, 3, 3, 3), weights ("w", 512, 10), weights ("s", 10)])
model = helper.make_model (graph, ir_version=8,
                           opset_imports=[helper.make_opsetid ("", 17)])
options = onnxruntime.SessionOptions ()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession (model.SerializeToString (), options)
picture = random.standard_normal ((1, 3, 18, 18)).astype (numpy.float32)
run (lambda: session.run (None, {"x": picture}))
