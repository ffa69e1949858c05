import ArgumentParser
import Foundation
import LibC

/// Another reader of logs that sums up the same values by page and iteration.
enum LogRival: String, ExpressibleByArgument {
    case duckdb, simdjson

    var name: String {
        switch self {
        case .duckdb: "DuckDB"
        case .simdjson: "simdjson loop"
        }
    }

    /// The row for the startup of Python and DuckDB.
    static let startOfDuckDB = "DuckDB's start"

    /// The message if it is missing.
    var absence: String {
        switch self {
        case .duckdb: "DuckDB is absent: set PERFGATE_PYTHON to a python3 that has it (pip install duckdb)."
        case .simdjson: "simdjson is absent: c++ -lsimdjson fails (apt-get install libsimdjson-dev)."
        }
    }

    /// Writes its program into a folder and returns the command to run it; `nil` if it is missing.
    func prepare(in folder: String) -> [String]? {
        switch self {
        case .duckdb:
            let python = ProcessInfo.processInfo.environment["PERFGATE_PYTHON"] ?? "python3"
            let probe = ["sh", "-c", #"exec "$0" -c 'import duckdb' 2> /dev/null"#, python]
            return ChildProcess(probe) == nil ? nil : [python, "-c", Self.script]
        case .simdjson:
            let (source, program) = ("\(folder)/loop.cpp", "\(folder)/loop")
            guard (try? Self.loop.write(toFile: source, atomically: true, encoding: .utf8)) != nil else { return nil }
            let compile = #"exec c++ -std=c++17 -O3 -o "$1" "$0" -lsimdjson -pthread 2> /dev/null"#
            return ChildProcess(["sh", "-c", compile, source, program]) == nil ? nil : [program]
        }
    }

    /// The calls that read a log, with the names of their rows; none for an unsupported shape.
    func calls(_ command: [String], _ shape: LogShape, _ path: String) -> [(String, [String])] {
        guard let query = Self.query(shape) else { return [] }
        return switch self {
        case .duckdb: [(name, command + [query, path]), (Self.startOfDuckDB, command + ["SELECT 1"])]
        case .simdjson: [(name, command + [shape == .visits ? "visits" : "frames", path])]
        }
    }

    private static let script = """
        import sys, duckdb
        duckdb.execute("SET enable_progress_bar = false")
        duckdb.execute(sys.argv[1], sys.argv[2:]).fetchall()
        """

    private static func query(_ shape: LogShape) -> String? {
        switch shape {
        case .visits:
            """
            SELECT page, iteration, outcome, count(*), sum(duration_ms), sum(ttfl_ms), sum(ttil_ms),
                sum(list_sum(sth_ms)), sum(list_sum(mth_ms)), sum(list_sum(alt_ms)), count(visit_id),
                sum(list_sum([one.ms FOR one IN rclt IF one.outcome = 'loaded']))
            FROM read_json(?, format = 'newline_delimited', columns = {type: 'VARCHAR', page: 'VARCHAR',
                iteration: 'INTEGER', visit_id: 'VARCHAR', outcome: 'VARCHAR', duration_ms: 'DOUBLE', ttfl_ms: 'DOUBLE',
                ttil_ms: 'DOUBLE', sth_ms: 'DOUBLE[]', mth_ms: 'DOUBLE[]', alt_ms: 'DOUBLE[]',
                rclt: 'STRUCT(ms DOUBLE, outcome VARCHAR)[]'})
            WHERE type = 'pps' GROUP BY ALL
            """
        case .scrolls:
            """
            SELECT page, iteration, scroll, count(*), sum(list_sum(timestamps_ns)), sum(list_sum(targets_ns))
            FROM read_json(?, format = 'newline_delimited', columns = {type: 'VARCHAR', page: 'VARCHAR',
                iteration: 'INTEGER', scroll: 'INTEGER', timestamps_ns: 'BIGINT[]', targets_ns: 'BIGINT[]'})
            WHERE type = 'frames' GROUP BY ALL
            """
        case .ticks, .longLine: nil
        }
    }

    private static let loop = #"""
        #include <simdjson.h>
        #include <cstring>
        #include <string>
        #include <unordered_map>

        using namespace simdjson;

        struct Group {
            uint64_t visits = 0;
            double sums[7] = {};
        };

        static double total(ondemand::array list) {
            double sum = 0;
            for (double value : list) sum += value;
            return sum;
        }

        static uint64_t total_integers(ondemand::array list) {
            uint64_t sum = 0;
            for (uint64_t value : list) sum += value;
            return sum;
        }

        // The values in the order in which the lines have them, which is the fastest way through a line.
        static void add_visit(ondemand::object &line, Group &group) {
            std::string_view id = line.find_field("visit_id");
            std::string_view outcome = line.find_field("outcome");
            group.visits += !id.empty() && outcome == "loaded";
            group.sums[0] += double(line.find_field("duration_ms"));
            group.sums[1] += double(line.find_field("ttfl_ms"));
            group.sums[2] += double(line.find_field("ttil_ms"));
            group.sums[3] += total(line.find_field("sth_ms"));
            group.sums[4] += total(line.find_field("mth_ms"));
            group.sums[5] += total(line.find_field("alt_ms"));
            for (ondemand::object entry : line.find_field("rclt").get_array()) {
                double time = entry.find_field("ms");
                if (std::string_view(entry.find_field("outcome")) == "loaded") group.sums[6] += time;
            }
        }

        static void add_frames(ondemand::object &line, Group &group) {
            group.sums[0] += double(total_integers(line.find_field("timestamps_ns")));
            group.sums[1] += double(total_integers(line.find_field("targets_ns")));
        }

        int main(int count, char **arguments) {
            bool is_visits = !std::strcmp(arguments[1], "visits");
            padded_string text = padded_string::load(arguments[2]);
            ondemand::parser parser;
            std::unordered_map<std::string, Group> groups;
            std::string key;
            ondemand::document_stream lines = parser.iterate_many(text, 1 << 20);
            for (auto document : lines) {
                ondemand::object line = document.get_object();
                if (std::string_view(line.find_field("type")) != (is_visits ? "pps" : "frames")) continue;
                key = std::string_view(line.find_field("page"));
                int64_t iteration = line.find_field("iteration");
                key.append(reinterpret_cast<const char *>(&iteration), sizeof iteration);
                Group &group = groups[key];
                if (is_visits) add_visit(line, group); else add_frames(line, group);
            }
            double sum = 0;
            for (auto &entry : groups) for (double value : entry.second.sums) sum += value;
            return sum > 0 ? 0 : 1;
        }
        """#
}
