// plait run: runs a net on the host, with tensors from .npy files or random ones.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <plait/exec/npy.hpp>
#include <plait/exec/observers.hpp>
#include <plait/exec/operators.hpp>
#include <plait/exec/plan.hpp>
#include <plait/exec/plan_report.hpp>
#include <plait/exec/random.hpp>
#include <plait/exec/serial.hpp>
#include <plait/exec/workspace.hpp>
#include <plait/netdef/traits.hpp>

#include "common/file_names.hpp"

#include "commands.hpp"
#include "common_options.hpp"
#include "io.hpp"
#include "names.hpp"
#include "table.hpp"
#include "terminal.hpp"

namespace cli {

namespace {

using backend = plait::serial;
using tensor = plait::tensor<backend>;

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
};

// Splits "name=value".
std::pair<std::string, std::string> split_pair(std::string const& text, char const* option, char const* form) {
  std::size_t const at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw wrong_usage("plait: " + std::string(option) + " expects " + form + ", not '" + text + "'");
  return {text.substr(0, at), text.substr(at + 1)};
}

tensor read_tensor(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw failure(path + ": cannot be opened");
  try {
    return plait::read_npy<backend>(file);
  } catch (plait::error const& problem) {
    throw about(path, problem);
  }
}

// Creates a random tensor of "2x3", "scalar" or, with a type, "4:int64".
tensor random_tensor(std::string const& text, plait::random_stream from) {
  std::size_t const colon = text.find(':');
  std::string_view const extents = std::string_view(text).substr(0, colon);
  std::string const type = colon == std::string::npos ? "float32" : text.substr(colon + 1);
  plait::shape dims;
  for (std::size_t at = 0; extents != "scalar" && at <= extents.size();) {
    std::int64_t extent = 0;
    auto const [end, problem] = std::from_chars(extents.data() + at, extents.data() + extents.size(), extent);
    if (problem != std::errc() || extent < 0 || (end != extents.data() + extents.size() && *end != 'x'))
      throw wrong_usage("'" + text + "' is not a shape, such as 2x3 or scalar");
    dims.push_back(extent);
    at = static_cast<std::size_t>(end - extents.data()) + 1;
  }
  auto const count = static_cast<std::size_t>(dims.size());
  if (type == "float32" || type == "float64") {
    auto const fill = [&]<class T>(T) {
      std::vector<T> elements(count);
      for (std::size_t i = 0; i != count; ++i) elements[i] = 2 * from.uniform<T>(i) - 1;
      return tensor::from(elements, dims);
    };
    return type == "float32" ? fill(0.0f) : fill(0.0);
  }
  auto const fill = [&]<class T>(T) {
    std::vector<T> elements(count);
    for (std::size_t i = 0; i != count; ++i) elements[i] = static_cast<T>(from.bits(i) % 2);
    return tensor::from(elements, dims);
  };
  if (type == "int32") return fill(std::int32_t{});
  if (type == "int64") return fill(std::int64_t{});
  if (type == "bool") return fill(bool{});
  throw wrong_usage("'" + type + "' is not a type of random tensors: float32, float64, int32, int64, bool");
}

void print(std::string const& name, tensor const& value) {
  constexpr std::int64_t shown = 8;
  std::cout << name << ": " << to_string(value.spec());
  plait::visit_type<float, double, std::int32_t, std::int64_t, bool, std::uint8_t>(value.type(), [&]<class T>(T) {
    auto const elements = value.values<T>();
    std::ostringstream text;
    for (std::int64_t i = 0; i != std::min(shown, value.size()); ++i) {
      if constexpr (sizeof(T) == 1)
        text << ' ' << static_cast<int>(elements[static_cast<std::size_t>(i)]);
      else
        text << ' ' << elements[static_cast<std::size_t>(i)];
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
  expect_new(given.feeds, "--feed", "NAME=FILE");
  expect_new(given.random, "--random", "NAME=SHAPE");
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

// Prints the fetched blobs, or writes them to files.
void print_fetched(source const& in, plait::workspace<backend> const& blobs, run_options const& given) {
  std::vector<std::string> wanted = given.fetch;
  if (wanted.empty())
    for (plait::symbol const name : in.net.external_output) wanted.emplace_back(in.net.text(name));
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
    peak = std::to_string(plait::forecast_memory(plan).peak()) + " bytes at most, in blocks of the pool";
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

int run(run_options const& given) {
  expect_distinct_files(given);
  expect_distinct_feeds(given);
  source const in = load(given.file);
  expect_names(in, given);
  plait::workspace<backend> blobs;
  if (!given.init.empty()) {
    source init = load(given.init);
    init.net.external_output.clear();  // all its blobs are wanted
    run_net(init, blobs, given, true);
  }
  for (std::string const& feed : given.feeds) {
    auto const [name, path] = split_pair(feed, "--feed", "NAME=FILE");
    blobs.feed(name, read_tensor(path));
  }
  std::uint64_t stream = 0;
  for (std::string const& feed : given.random) {
    auto const [name, shape] = split_pair(feed, "--random", "NAME=SHAPE");
    try {
      blobs.feed(name, random_tensor(shape, {static_cast<std::uint64_t>(given.seed), stream++}));
    } catch (plait::error const& problem) {
      throw about("--random " + feed, problem);
    }
  }
  run_net(in, blobs, given, false);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, action& chosen) {
  auto const given = std::make_shared<run_options>();
  CLI::App* const command = app.add_subcommand("run", "run a net on the host");
  command->footer(R"(Tensors come from .npy files or are random:
  plait run net.pb --init init.pb --feed data=image.npy --fetch softmax
  plait run net.pb --random data=1x3x224x224 --random label=1:int32 --time 10
Without --fetch the external outputs are printed. `plait ops` lists the op types.)");
  add_file(*command, given->file);
  command->add_option("--init", given->init, "init net of the parameters, run once before");
  command->add_option("--feed", given->feeds, "NAME=FILE.npy");
  command->add_option("--random", given->random, "NAME=SHAPE[:TYPE]: uniform in [-1, 1), or 0 and 1 for other types");
  command->add_option("--seed", given->seed, "seed of random tensors");
  command->add_option("--fetch", given->fetch, "NAME prints a tensor, NAME=FILE.npy writes it");
  command
      ->add_option("--time", given->times,
                   "run this many times more, and as often again with each op timed; print the times")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command->add_option("--trace", given->trace,
                      "write the times of ops in one more run to this file, for chrome://tracing or Perfetto");
  command->add_flag("--plan", given->plan, "print the plan before the run: ops, shapes, memory of values, bytes, peak");
  command->callback([given, &chosen] { chosen = [given] { return run(*given); }; });
}

}  // namespace cli
