// Computes the same again and again, by enough classes that their code fills
// some huge pages; says so, and ends when it was wrong.
// This file is part of ld-hugetext.
// SPDX-License-Identifier: LGPL-2.1-or-later

import java.util.*;
import java.util.regex.Pattern;
import java.util.stream.*;

public class Busy {
    static long round() {
        Map<String, List<Integer>> groups = IntStream.range(0, 2000).boxed()
            .collect(Collectors.groupingBy(i -> Integer.toString(i % 37, 36)));
        String text = groups.entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(e -> String.format("%s=%08.3f", e.getKey(),
                                    e.getValue().stream()
                                        .mapToInt(Integer::intValue).sum()
                                    / 7.0))
            .collect(Collectors.joining(","));
        return Pattern.compile("(\\w+)=0*(\\d+)").matcher(text)
            .replaceAll("$2$1").hashCode();
    }

    public static void main(String[] arguments) throws Exception {
        final long right = round();
        Thread other = new Thread(() -> check(right));
        other.start();
        System.out.println("ready");
        check(right);
    }

    static void check(long right) {
        while (round() == right)
            continue;
        System.out.println("wrong");
        System.exit(1);
    }
}
