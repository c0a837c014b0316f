// SPDX-License-Identifier: MIT
// Fields of protocol buffers, for readers that go over them with protozero:
//
//   pbf_reader at = reader_of(message);
//   while (at.next()) switch (at.tag_and_type()) {
//       case number_field(1): …
//       case bytes_field(2): …
//       default: at.skip();
//     }
//
// A field is named by its number and its form, so that one of a wrong form is passed over.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace aiflame {

using protozero::pbf_reader;

constexpr uint32_t number_field(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::varint);
}
constexpr uint32_t bytes_field(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}

inline std::string_view view_of(pbf_reader& at) {
  const protozero::data_view view = at.get_view();
  return {view.data(), view.size()};
}

inline pbf_reader reader_of(std::string_view message) {
  return pbf_reader(protozero::data_view(message.data(), message.size()));
}

}  // namespace aiflame
