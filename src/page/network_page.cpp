#include "page/network_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/printable.hpp"
#include "base/text/signed_text.hpp"
#include "page/figure_texts.hpp"
#include "page/machine_section.hpp"
#include "page/method_section.hpp"
#include "report/layer_columns.hpp"
#include "report/network_reports.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using NetworkRow = const NetworkResult&;

/// Returns the time of all layers that do the same work, s; 0 if it was not measured.
double all_s(const LayerResult& layer) {
  return layer.each_s ? static_cast<double>(layer.count) * layer.each_s->value : 0;
}

/// Returns the layer of which one takes most time; null if none was measured.
const LayerResult* longest_layer(const NetworkResult& network) {
  const LayerResult* longest = nullptr;
  for (const LayerResult& layer : network.layers)
    if (layer.each_s && (longest == nullptr || layer.each_s->value > longest->each_s->value))
      longest = &layer;
  return longest;
}

std::vector<KeyFigure> figures_of(const NetworkResult& network) {
  std::vector<KeyFigure> figures{
      {"One iteration takes", figure_time(network.latency_s()),
       network.complete() ? "sum of all layers" : "sum of the layers that could be measured"}};
  if (const auto energy = network.energy_j())
    figures.push_back({"One iteration costs", figure_energy(*energy),
                       fmt::format("sum of all layers, at {:.0f} W", *energy / network.latency_s())});
  if (const LayerResult* longest = longest_layer(network))
    figures.push_back({"Longest layer", printable(longest->name),
                       fmt::format("{}: a pipeline with one stage for each layer would run {:.4g} iterations "
                                   "per second",
                                   figure_time(longest->each_s->value), 1 / longest->each_s->value)});
  if (network.against_whole)
    figures.push_back({"Sum against the whole", signed_text(100 * network.against_whole->value, 2) + " %",
                       fmt::format("+- {:.3g} %: the layers against the network, replayed as a whole",
                                   100 * network.against_whole->half_width)});
  return figures;
}

TableColumn<NetworkResult> network_column(const char* head, const char* meaning, int decimals,
                                          const std::function<std::optional<double>(NetworkRow)>& value) {
  return TableColumn<NetworkResult>::number(
      head, "", meaning, "", Place::details,
      [value](NetworkRow network) {
        const auto of = value(network);
        return of ? Json(*of) : Json();
      },
      decimals);
}

/// Returns a line for each network.
PageTable networks_table(const std::vector<NetworkResult>& networks) {
  PageTable table("One iteration of each network", "network");
  table.fill<NetworkResult>(
      {network_column("ms", "sum of the times of all layers", 4,
                      [](NetworkRow network) { return std::optional(1e3 * network.latency_s()); }),
       network_column("J", "sum of the energies of all layers", 4,
                      [](NetworkRow network) { return network.energy_j(); }),
       network_column("W", "mean power", 0,
                      [](NetworkRow network) {
                        const auto joules = network.energy_j();
                        return joules ? std::optional(*joules / network.latency_s()) : std::nullopt;
                      }),
       network_column("longest ms", "time of the longest layer", 4,
                      [](NetworkRow network) { return std::optional(1e3 * network.bottleneck_s()); }),
       network_column("sum %", "difference of the sum of the layers from the network as a whole", 2,
                      [](NetworkRow network) {
                        return network.against_whole ? std::optional(100 * network.against_whole->value)
                                                     : std::nullopt;
                      })},
      Place::details, networks,
      [](NetworkRow network) {
        return RowName{printable(network.name), network_heading(network)};
      },
      {"ms", "J"});
  return table;
}

/// Returns more about a layer than its row shows.
std::string details_of(const LayerResult& layer) {
  std::string text = layer_title(layer);
  if (!layer.call.empty()) text += "; operator " + printable(layer.call);
  if (!layer.error.empty()) text += "; missing from the sum: " + printable(layer.error);
  for (const auto& [buffers, isolated] : layer.isolated)
    if (isolated.each_s)
      text += fmt::format("; in isolation ({}) {:.4f} ms", buffers, 1e3 * isolated.each_s->value);
  return text;
}

PageTable layers_table(const NetworkResult& network) {
  std::vector<ReportedLayer> rows = rows_of(network);
  std::stable_sort(rows.begin(), rows.end(), [](const ReportedLayer& a, const ReportedLayer& b) {
    return all_s(*a.layer) > all_s(*b.layer);
  });
  PageTable table("Layers that do the same work share a row; share % is that of all of them", "layer");
  table.fill<ReportedLayer>(layer_columns(), Place::first_screen, rows,
                            [](const ReportedLayer& row) {
                              return RowName{layer_title(*row.layer), details_of(*row.layer)};
                            },
                            {"each ms", "each J", "share %"});
  table.let_sort("share %");
  return table;
}

/// Adds the sections of one network. If there are several, their headings have its name.
void add_network(const NetworkResult& network, bool is_single, std::vector<PageSection>& sections) {
  PageSection result("result", "Result");
  result.add_figures(figures_of(network));
  if (!network.energy_missing.empty())
    result.add_verdict("Energy was not measured", printable(network.energy_missing), "open");
  PageSection layers("layers", "Layers");
  layers.add_table(layers_table(network));
  layers.add_list(network_notes(network));
  for (PageSection& section : std::vector{result, layers}) {
    if (!is_single) section.name_part(printable(network.name));
    sections.push_back(std::move(section));
  }
}

}  // namespace

Page network_page(const std::vector<NetworkResult>& networks, const std::vector<PageIteration>& iterations) {
  const NetworkResult& first = networks.front();
  Page page{networks.size() == 1 ? network_heading(first) : fmt::format("{} networks", networks.size()),
            page_subtitle(first.run)};
  if (networks.size() > 1)
    page.sections.emplace_back("networks", "Networks").add_table(networks_table(networks));
  for (const NetworkResult& network : networks) add_network(network, networks.size() == 1, page.sections);
  if (!iterations.empty())
    for (PageSection& section : comparison_sections(iterations)) {
      section.name_part("the whole network");
      page.sections.push_back(std::move(section));
    }
  page.sections.push_back(machine_section(first.run));
  if (!iterations.empty()) page.sections.push_back(method_section(*iterations.front().comparison));
  return page;
}

}  // namespace kjoule
