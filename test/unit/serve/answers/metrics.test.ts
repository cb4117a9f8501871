import { describe, expect, it } from "vitest";
import type { Figures } from "../../../../src/serve/answers/metrics.ts";
import { metricsText } from "../../../../src/serve/answers/metrics.ts";
import { createRunCounts } from "../../../../src/serve/answers/runs.ts";
import type { MetricSample } from "../../../helpers/openmetrics.ts";
import { parseOpenMetrics } from "../../../helpers/openmetrics.ts";
import { sampleProject, sampleRun, sampleSource, sampleStatus } from "../fake-service.ts";

const PROCESS = { residentBytes: 75_000_000, cpuSeconds: 1.5, busySeconds: 1e-7, delaySeconds: 0.002 };

function samplesOf(figures: Partial<Figures> = {}): MetricSample[] {
  const text = metricsText({ status: sampleStatus(), runs: [], process: PROCESS, ...figures });
  return parseOpenMetrics(text).flatMap(({ samples }) => [...samples]);
}

/** The values of one metric, by its label values. */
function valuesOf(samples: readonly MetricSample[], name: string): Record<string, number> {
  const mine = samples.filter((sample) => sample.name === name);
  return Object.fromEntries(mine.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}

describe("the metrics", () => {
  it("are right OpenMetrics, with nothing and with everything to tell", () => {
    const empty = sampleStatus({ startedAt: null, pid: null, state: "stopped" });
    const full = sampleStatus({
      sources: [sampleSource()],
      projects: [sampleProject()],
      counters: { linesRead: 9, recordsRead: 8, secretsMasked: 7, proposalsRefused: { secret: 2 } },
      warnings: [{ code: "sessions-expiring", message: "m", fix: "f" }],
    });

    expect(samplesOf({ status: empty }).length).toBeGreaterThan(20);
    expect(samplesOf({ status: full }).length).toBeGreaterThan(samplesOf({ status: empty }).length);
  });

  it("say one state at a time", () => {
    const states = valuesOf(samplesOf({ status: sampleStatus({ state: "paused" }) }), "engramd_state");

    expect(Object.entries(states).filter(([, value]) => value === 1)).toEqual([["paused", 1]]);
    expect(Object.keys(states)).toHaveLength(10);
  });

  it("tell the queue, the process and the counters", () => {
    const samples = samplesOf({
      status: sampleStatus({
        queue: { waiting: 1, running: 2, delayed: 3, dead: 4 },
        counters: { linesRead: 9, recordsRead: 8, secretsMasked: 7, proposalsRefused: { secret: 2 } },
      }),
    });

    expect(valuesOf(samples, "engramd_queue_jobs")).toEqual({ waiting: 1, running: 2, delayed: 3, dead: 4 });
    expect(valuesOf(samples, "engramd_records_read_total")).toEqual({ "": 8 });
    expect(valuesOf(samples, "engramd_proposals_refused_total")).toEqual({ secret: 2 });
    expect(valuesOf(samples, "process_resident_memory_bytes")).toEqual({ "": 75_000_000 });
    expect(valuesOf(samples, "process_start_time_seconds")).toEqual({ "": 1_777_881_600 });
    expect(valuesOf(samples, "engramd_event_loop_busy_seconds_total")).toEqual({ "": 1e-7 });
  });

  it("add up runs by kind and outcome, tokens and money by kind", () => {
    const counts = createRunCounts();
    const paid = { requests: 2, inputTokens: 100, outputTokens: 10, usd: 0.5 };
    counts.run(sampleRun({ ...paid, outcome: "succeeded" }));
    counts.run(sampleRun({ ...paid, outcome: "failed" }));
    counts.run(sampleRun({ ...paid, outcome: "failed" }));
    counts.run(sampleRun({ kind: "forget", outcome: "succeeded" }));
    counts.run(sampleRun({ ...paid, kind: "dream", outcome: "cancelled" }));

    const samples = samplesOf({ runs: counts.all() });

    expect(valuesOf(samples, "engramd_runs_total")).toEqual({
      "extract succeeded": 1,
      "extract failed": 2,
      "forget succeeded": 1,
      "dream cancelled": 1,
    });
    expect(valuesOf(samples, "engramd_model_tokens_total")).toEqual({
      "extract input": 300,
      "extract output": 30,
      "forget input": 0,
      "forget output": 0,
      "dream input": 100,
      "dream output": 10,
    });
    expect(valuesOf(samples, "engramd_model_cost_usd_total")).toEqual({
      extract: 1.5,
      forget: 0,
      dream: 0.5,
    });
  });

  it("hold no path and no words of the person beyond the project's key", () => {
    const status = sampleStatus({
      sources: [sampleSource({ root: "/home/ana/private" })],
      projects: [sampleProject({ key: "the-key", root: "/home/ana/private", memoryDir: "/home/ana/m" })],
      warnings: [{ code: "c", message: "private words", fix: "private fix" }],
    });

    const text = metricsText({ status, runs: [], process: PROCESS });

    expect(text).not.toMatch(/\/home|private/);
    expect(text).toContain('project="the-key"');
  });

  it("stay right when a key or a reason tries to break out", () => {
    const evil = 'x"} 1\n# EOF\n\\\u001b[2J\u202e';
    const status = sampleStatus({
      projects: [sampleProject({ key: evil, memories: 3 })],
      counters: { linesRead: 0, recordsRead: 0, secretsMasked: 0, proposalsRefused: { [evil]: 1 } },
    });

    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(metricsText({ status, runs: [], process: PROCESS })).not.toMatch(/[\u0000-\u0009\u001b\u202e]/);
    expect(valuesOf(samplesOf({ status }), "engramd_memories")).toEqual({ 'x"} 1 # EOF \\[2J': 3 });
  });

  it("add up projects that share a key, and agents with several folders", () => {
    const samples = samplesOf({
      status: sampleStatus({
        projects: [sampleProject({ memories: 3 }), sampleProject({ memories: 4 })],
        sources: [sampleSource({ sessions: 5 }), sampleSource({ sessions: 6, root: "/other" })],
      }),
    });

    expect(Object.values(valuesOf(samples, "engramd_memories"))).toEqual([7]);
    expect(valuesOf(samples, "engramd_source_sessions")).toEqual({ "claude-code": 11 });
  });

  it("stay bounded with thousands of projects", () => {
    const projects = Array.from({ length: 5_000 }, (_, at) => sampleProject({ key: `k${at}` }));
    const text = metricsText({ status: sampleStatus({ projects }), runs: [], process: PROCESS });

    expect(Buffer.byteLength(text)).toBeLessThan(500_000);
    expect(text).toContain("engramd_projects 5000");
  });
});
