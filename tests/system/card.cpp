// SPDX-License-Identifier: Apache-2.0
#include "card.hpp"

#include <gtest/gtest.h>

namespace a2a3::test {

using Json = nlohmann::json;

Json run_card(const std::string& example, const std::string& mode, int ranks,
              const std::vector<std::string>& settings) {
  const ScratchDir scratch;
  const std::string json = scratch.file("card.json");
  std::vector<std::string> arguments{
      "run", "examples/" + example + ".py", "-d", devices(ranks), "--json", json};
  if (!mode.empty()) arguments.insert(arguments.end(), {"--mode", mode});
  for (const std::string& setting : settings)
    arguments.insert(arguments.end(), {"--set", setting});
  const Finished run = a2a3sim(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Json card = read_json(json);
  EXPECT_EQ(card["verdict"], "ok");
  return card;
}

void expect_rank(const Json& card, int rank, const Expected& expected) {
  SCOPED_TRACE("rank " + std::to_string(rank));
  const Json& moved = card["ranks"][static_cast<std::size_t>(rank)];
  EXPECT_EQ(moved["rank"], rank);
  EXPECT_EQ(moved["payload_received_bytes"], expected.received);
  EXPECT_EQ(moved["payload_sent_bytes"], expected.sent);
  EXPECT_EQ(moved["local_bytes"], expected.local);
  EXPECT_EQ(moved["signals_sent_count"], expected.signals);
  EXPECT_EQ(moved["signals_received_count"], expected.signals);
  EXPECT_EQ(moved["self_signals_count"], expected.self_signals);
}

void expect_ranks(const Json& card, const Expected& expected) {
  for (int rank = 0; rank < static_cast<int>(card["ranks"].size()); ++rank)
    expect_rank(card, rank, expected);
}

void expect_balance(const Json& card) {
  EXPECT_EQ(card["total"]["payload_sent_bytes"], card["total"]["payload_received_bytes"]);
  EXPECT_EQ(card["total"]["signals_sent_count"], card["total"]["signals_received_count"]);
  std::vector<Bytes> out(card["ranks"].size());
  std::vector<Bytes> in(card["ranks"].size());
  for (const Json& link : card["links"]) {
    out[link["from_rank"]] += link["payload_bytes"].get<Bytes>();
    in[link["to_rank"]] += link["payload_bytes"].get<Bytes>();
  }
  for (std::size_t r = 0; r < out.size(); ++r) {
    EXPECT_EQ(out[r], card["ranks"][r]["payload_sent_bytes"]) << "links out of rank " << r;
    EXPECT_EQ(in[r], card["ranks"][r]["payload_received_bytes"]) << "links into rank " << r;
  }
  for (const char* key : {"payload_received_bytes", "local_bytes", "signals_sent_count",
                          "gm_read_bytes", "gm_written_bytes"}) {
    Bytes ranks = 0;
    for (const Json& rank : card["ranks"]) {
      Bytes phases = 0;
      for (const Json& phase : rank["phases"])
        phases += phase[key].get<Bytes>();
      EXPECT_EQ(phases, rank[key]) << key << ": the phases are not the rank";
      ranks += rank[key].get<Bytes>();
    }
    EXPECT_EQ(ranks, card["total"][key]) << key << ": the ranks are not the total";
  }
}

}  // namespace a2a3::test
