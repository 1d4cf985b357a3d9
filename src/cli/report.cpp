#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/rules_option.hpp"
#include "page/page_markdown.hpp"

namespace kjoule {

namespace {

class Report final : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string help() const override {
    return "writes the results of a folder as a page (HTML): one file, which a browser opens without a "
           "network; or prints them as Markdown";
  }
  std::string example() const override { return "kjoule report results -o report.html"; }
  void declare(CLI::App& app) override {
    input_file(app.add_option("folder", folder_, "results folder of kjoule compare or kjoule layers"))
        ->required();
    output_file(app.add_option("-o,--output", output_, "file to write; an older page is replaced"),
                kPageOutput)
        ->capture_default_str();
    CLI::Option* markdown = app.add_flag(
        "--markdown", markdown_, "print Markdown, for a comment in a code review, instead of writing a page");
    markdown->excludes("-o");
    app.add_option("--top", top_, "number of rows to show of each table with --markdown")
        ->capture_default_str()
        ->check(whole_number(0, kMostShown))
        ->needs(markdown);
    rules_.declare(app);
  }
  int run() override {
    KernelRules rules = rules_.read();
    const Page results = results_page(folder_, rules);
    if (markdown_) {
      print_text(page_markdown(results, static_cast<size_t>(top_)));
      return 0;
    }
    const std::string page = page_html(results);
    write_named(output_, page);
    print_output("{}: {} KiB\n", output_, (page.size() + 1023) / 1024);
    return 0;
  }

 private:
  std::string folder_, output_ = "report.html";
  bool markdown_ = false;
  int top_ = 10;
  RulesOption rules_;
};

}  // namespace

std::unique_ptr<Command> report_command() {
  return std::make_unique<Report>();
}

}  // namespace kjoule
