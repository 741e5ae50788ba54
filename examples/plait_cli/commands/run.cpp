// plait run: runs a net on the host, with tensors from .npy files or random ones.
#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/exec/backends/serial/serial.hpp>
#include <plait/exec/detail/kernels/convert.hpp>
#include <plait/exec/feed.hpp>
#include <plait/exec/npy.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>
#include <plait/ssa/versioning.hpp>

#include "common/file_names.hpp"

#include "commands.hpp"
#include "common_options.hpp"
#include "inputs.hpp"
#include "io.hpp"
#include "missing.hpp"
#include "names.hpp"
#include "onnx_net.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using backend = plait::serial;

struct run_options {
  std::string file;
  std::string init;
  std::vector<std::string> feeds;
  std::vector<std::string> random;
  std::vector<std::string> fetch;
  std::string trace;
  std::int64_t seed = 1;
  int times = 0;
  bool plan = false;
  bool schedule = false;
  bool quiet = false;
};

void print(std::string const& name, tensor const& value) {
  constexpr std::int64_t shown = 8;
  std::cout << name << ": " << to_string(value.spec());
  plait::visit_type<float, double, plait::float16, plait::bfloat16, std::int8_t, std::int16_t, std::int32_t,
                    std::int64_t, bool, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(
      value.type(), [&]<class T>(T) {
        auto const elements = value.values<T>();
        std::ostringstream text;
        for (std::int64_t i = 0; i != std::min(shown, value.size()); ++i) {
          T const element = elements[static_cast<std::size_t>(i)];
          if constexpr (std::integral<T>)
            text << ' ' << +element;
          else
            text << ' ' << plait::convert<std::conditional_t<sizeof(T) == 2, float, T>>(element);
        }
        std::cout << " =" << text.str() << (value.size() > shown ? " ..." : "");
      });
  std::cout << '\n';
}

void print_times(plait::type_times<backend> const& times, int runs) {
  struct sum {
    std::string type;
    std::size_t count = 0;
    double microseconds = 0;
  };
  std::vector<sum> sums;
  double total = 0;
  for (auto const& [type, found] : times.sums()) {
    sums.push_back({type, found.ops, std::chrono::duration<double, std::micro>(found.time).count()});
    total += sums.back().microseconds;
  }
  std::ranges::sort(sums, std::greater<>(), &sum::microseconds);
  auto const number = [](double value) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << value;
    return text.str();
  };
  table rows({{"type", false, true}, {"ops", true}, {"us a run", true}, {"%", true}});
  for (sum const& s : sums)
    rows.add({s.type, std::to_string(s.count / static_cast<std::size_t>(runs)), number(s.microseconds / runs),
              number(100 * s.microseconds / total)});
  rows.print(std::cout, output_width(), shows_colour(1));
}

// Refuses two outputs in one file, where the second would overwrite the first.
void expect_distinct_files(run_options const& given) {
  std::vector<std::string> files;
  for (std::string const& one : given.fetch)
    if (one.find('=') != std::string::npos) files.push_back(split_pair(one, "--fetch", "NAME or NAME=FILE").second);
  if (!given.trace.empty()) files.push_back(given.trace);
  if (auto const twice = example::named_twice(files))
    throw wrong_usage("plait: two outputs are written to the file " + *twice);
}

// Refuses two tensors for one blob, where the second would replace the first.
void expect_distinct_feeds(run_options const& given) {
  std::set<std::string> fed;
  auto const expect_new = [&](std::vector<std::string> const& feeds, char const* option, char const* form) {
    for (std::string const& feed : feeds)
      if (std::string const name = split_pair(feed, option, form).first; !fed.insert(name).second)
        throw wrong_usage("plait: blob '" + name + "' is fed twice");
  };
  expect_new(given.feeds, "--feed", feed_form);
  expect_new(given.random, "--random", random_form);
}

// Refuses a name that the net does not have, before anything is run.
void expect_names(source const& in, run_options const& given) {
  auto const names = [](std::vector<std::string> const& options) {
    std::vector<std::string> made;
    for (std::string const& one : options) made.push_back(one.substr(0, one.find('=')));
    return made;
  };
  expect_blobs(in, "--feed", names(given.feeds));
  expect_blobs(in, "--random", names(given.random));
  expect_blobs(in, "--fetch", names(given.fetch));
}

// Returns the blobs that a net writes and that no op reads afterwards.
std::vector<std::string> leaves(plait::netdef const& net) {
  plait::ssa_form const ssa = plait::get_ssa(net, {.subnets = true, .control_inputs = true});
  std::vector<std::string> names;
  for (plait::blob_index b : ssa.blobs()) {
    plait::value const last{b, ssa.version(b)};
    if (ssa.producing_op(last) != plait::npos && ssa.consumers(last).empty()) names.emplace_back(ssa.name(b));
  }
  return names;
}

// Prints the fetched blobs, or writes them to files.
void print_fetched(source const& in, plait::workspace<backend> const& blobs, run_options const& given) {
  std::vector<std::string> wanted = given.fetch;
  if (wanted.empty())
    for (plait::symbol const name : in.net.external_output) wanted.emplace_back(in.net.text(name));
  if (wanted.empty()) {
    wanted = leaves(in.net);
    if (!given.quiet)
      std::cerr << in.label << ": the net declares no external outputs; blobs that no op reads are printed"
                << (wanted.empty() ? ", of which there are none" : "") << '\n';
  }
  for (std::string const& one : wanted) {
    std::string const name = one.substr(0, one.find('='));
    if (auto const* held = blobs.find(name); name == one && held != nullptr && held->object != nullptr) {
      std::cout << name << ": a " << held->object->kind() << '\n';
      continue;
    }
    tensor const& value = blobs.view(name);
    if (name == one) {
      print(name, value);
      continue;
    }
    std::ostringstream bytes;
    plait::write_npy(bytes, value);
    save_text(split_pair(one, "--fetch", "NAME or NAME=FILE").second, bytes.str());
  }
}

// Prints the plan before the run; of shapes that only the run determines, what is known by then.
void print_plan(plait::plan<backend>& plan) {
  std::string peak;
  try {
    peak = std::to_string(plan.forecast().peak()) + " bytes at most, in blocks of the pool";
  } catch (plait::exec_error const& e) {
    peak = "not known before the run: " + std::string(plait::detail::without_prefix(e.what()));
  }
  plan.bind();
  plait::write_plan(std::cout, plan);
  std::cout << "memory: " << peak << '\n';
}

// Runs a net; errors name its file.
void run_net(source const& in, plait::workspace<backend>& blobs, run_options const& given, bool is_init) {
  try {
    std::vector<std::string> fetch;
    for (std::string const& one : given.fetch) fetch.push_back(one.substr(0, one.find('=')));
    auto plan = plait::compile(in.net, plait::standard_operators<backend>(), blobs,
                               {.fetch = is_init ? std::vector<std::string>() : fetch});
    if (given.plan && !is_init) print_plan(plan);
    plan.run();
    if (is_init) return;
    if (given.schedule) plait::write_schedule(std::cout, plan.schedule());
    print_fetched(in, blobs, given);  // further runs may change what a net writes in place
    if (given.times != 0) {
      auto const begin = std::chrono::steady_clock::now();
      for (int i = 0; i != given.times; ++i) plan.run();
      double const took = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
      plait::type_times<backend> times;
      for (int i = 0; i != given.times; ++i) plan.run({.observer = &times});
      std::cout << given.times << " runs, " << took / given.times << " us each\n";
      print_times(times, given.times);
    }
    if (!given.trace.empty()) {
      plait::time_observer<backend> times;
      plan.run({.observer = &times});
      std::ostringstream text;
      plait::write_chrome_trace(text, times);
      save_text(given.trace, text.str());
    }
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
}

// Feeds one blob; errors name the option.
template <class F>
void feed_one(plait::workspace<backend>& blobs, std::string const& option, std::string const& text, F const& make) {
  std::string const where = option + ' ' + visible(text);
  auto const [name, value] = split_pair(text, option.c_str(), option == "--feed" ? feed_form : random_form);
  try {
    blobs.feed(name, make(value));
  } catch (wrong_usage const& problem) {
    throw wrong_usage("plait: " + where + ": " + problem.what());
  } catch (plait::error const& problem) {
    throw about(where, problem);
  } catch (std::bad_alloc const&) {
    throw failure("plait: " + where + ": out of memory");
  } catch (std::length_error const&) {
    throw failure("plait: " + where + ": out of memory");
  }
}

void feed(plait::workspace<backend>& blobs, run_options const& given) {
  for (std::string const& text : given.feeds) feed_one(blobs, "--feed", text, fed_tensor);
  std::uint64_t stream = 0;
  for (std::string const& text : given.random)
    feed_one(blobs, "--random", text, [&](std::string const& spec) {
      return random_tensor(spec, {static_cast<std::uint64_t>(given.seed), stream++});
    });
}

// Throws failure with all that a net lacks to be run.
void expect_complete(source const& in, plait::workspace<backend> const& blobs, std::string const& path,
                     bool with_init) {
  try {
    if (auto const missing = missing_text(in, blobs, path, with_init)) throw failure(*missing);
  } catch (plait::error const& problem) {
    throw about(in, problem);
  }
}

int run(run_options const& given) {
  expect_distinct_files(given);
  expect_distinct_feeds(given);
  std::optional<onnx_source> model;
  if (given.file != "-") model = load_onnx(given.file);  // standard input can be read only once
  source const in = model ? std::move(model->in) : load(given.file);
  expect_names(in, given);
  plait::workspace<backend> blobs;
  if (model) plait::feed(blobs, model->parameters);
  if (!given.init.empty()) {
    source init = load(given.init);
    init.net.external_output.clear();  // all its blobs are wanted
    expect_complete(init, blobs, given.init, true);
    run_net(init, blobs, given, true);
  }
  feed(blobs, given);
  expect_complete(in, blobs, given.file, !given.init.empty());
  run_net(in, blobs, given, false);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<run_options>();
  CLI::App* const command = app.add_subcommand("run", "run a net on the host");
  command->footer(R"(Tensors come from .npy files, are constants or are random:
  plait run net.pb --init init.pb --feed data=image.npy --fetch softmax
  plait run net.pb --random data=1x3x224x224 --random 'label=1:int32[0,1000)' --time 10
  plait run net.pb --feed 'ids=[[1,2],[3,4]]:int64' --feed rate=0.5 --feed is_test=true
A CONSTANT is a JSON number, true, false or an array of these, of equal lengths at each level. Without a TYPE numbers
are float32 and booleans bool. Anything else is a file; ./ before its name helps if it looks like a number.
A SHAPE is 2x3 or scalar. Random elements are from [LOW,HIGH), by default [-1,1), or [0,2) for integers and bool.
TYPE: float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, bool.
All inputs without a value and all op types without a kernel are reported before anything runs.
Without --fetch the external outputs are printed; without these, the blobs that no op reads. `plait ops` lists the op
types.)");
  add_file(*command, given->file);
  command->add_option("--init", given->init, "init net of the parameters, run once before")->type_name(file_type);
  command->add_option("--feed", given->feeds, "value of a blob; may be repeated")
      ->type_name("NAME=FILE.npy|NAME=CONSTANT[:TYPE]")
      ->allow_extra_args(false);
  command->add_option("--random", given->random, "random tensor for a blob; may be repeated")
      ->type_name("NAME=SHAPE[:TYPE[[LOW,HIGH)]]")
      ->allow_extra_args(false);
  command->add_option("--seed", given->seed, "seed of random tensors");
  command->add_option("--fetch", given->fetch, "blob to print, or to write to a file; may be repeated")
      ->type_name("NAME|NAME=FILE.npy")
      ->allow_extra_args(false);
  command
      ->add_option("--time", given->times,
                   "run this many times more, and as often again with each op timed; print the times")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command
      ->add_option("--trace", given->trace,
                   "write the times of ops in one more run to this file, for chrome://tracing or Perfetto")
      ->type_name(file_type);
  command->add_flag("--plan", given->plan, "print the plan before the run: ops, shapes, memory of values, bytes, peak");
  command->add_flag("--schedule", given->schedule,
                    "print the schedule of the run: groups of ops, why others run alone, nested nets");
  add_quiet(*command, given->quiet);
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
