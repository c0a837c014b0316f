# SPDX-License-Identifier: MIT
"""The contrast of two colours, as WCAG 2 computes it: from 1 to 21."""

import re


def luminance(colour):
    def linear(part):
        part /= 255
        return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
    red, green, blue = map(int, re.findall(r"\d+", colour)[:3])
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)


def contrast(one, other):
    """`one` and `other` are like "rgb(1, 2, 3)"."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)
