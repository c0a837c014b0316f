// SPDX-License-Identifier: MIT
// Makes foreign text safe to stand in XML.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// Appends `text` as character data or as an attribute's value in double quotes. It is made
// printable() (tabs and newlines too), so the result is well-formed whatever the text holds.
void append_xml(std::string& out, std::string_view text);
std::string xml(std::string_view text);

// `text` inside <!-- -->, where "--" must not stand.
std::string xml_comment(std::string_view text);

// `text` as a CSS string, quotes included, for a <style> element in XML.
std::string css_string(std::string_view text);

}  // namespace aiflame
