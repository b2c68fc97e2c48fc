// Fixtures for tests of the row audit. A test file has one engine. Each test has its own log and project.

import type { ColumnStore } from '@svc-server/column-store/port'
import { nothingDenied } from '@svc-server/deletions/denials'
import { freshThreads } from '@svc-server/fairness/worker-pool'
import type { EventLog } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { createKeptThreads } from '@svc-server/testkit'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { RowVersion } from '../src/presence/key.ts'
import { createRowAudit, type RowAudit } from '../src/row-audit/row-audit.ts'
import { batchOf, commitTo, type HandSpan, openTestLog, type TestLog } from './log.ts'
import { startTestEngine, type TestEngine } from './tables.ts'

export const topic: string = topicNames.direct

export interface AuditedRows {
  readonly columnStore: ColumnStore
  readonly opened: TestLog
  /** The test's own project. An audit therefore never finds rows of another test. */
  readonly projectId: string
  /** The arguments that the audits passed to their callbacks. */
  readonly passed: unknown[]
  readonly lost: unknown[]
  reopen(...how: Parameters<typeof openTestLog>): Promise<void>
  nextProject(): void
  audit(more?: { log?: EventLog; columnStore?: ColumnStore; clock?: () => number }, topics?: readonly string[]): RowAudit
  /** Lets `one` audit all records once, and then audit missing items again. Returns how many spans of topic `of` are still missing. */
  missing(one: RowAudit, of?: string): Promise<number>
  /** Appends a record, and returns the rows that the writer must create from this record. */
  append(spans: readonly HandSpan[], more?: Parameters<typeof batchOf>[1], to?: string): Promise<RowVersion[]>
  acknowledge(offset: number, of?: string): Promise<void>
}

/** Opens the engine before the tests of a file, and closes it after them. */
export function auditedRows(): AuditedRows {
  let engine: TestEngine
  let columnStore: ColumnStore
  let opened: TestLog
  let audits: RowAudit[] = []
  let projects = 0
  const [passed, lost]: [unknown[], unknown[]] = [[], []]
  const projectId = () => `project-${projects}`

  beforeAll(async () => {
    engine = await startTestEngine()
    columnStore = await engine.tables()
  })
  afterAll(() => engine.stop())
  beforeEach(async () => {
    projects += 1
    for (const told of [passed, lost]) told.length = 0
    opened = await openTestLog()
  })
  afterEach(async () => {
    for (const audit of audits) await audit.stop()
    audits = []
    await opened.close()
  })

  return {
    passed,
    lost,
    get columnStore() {
      return columnStore
    },
    get opened() {
      return opened
    },
    get projectId() {
      return projectId()
    },
    async reopen(...how) {
      for (const audit of audits) await audit.stop()
      audits = []
      await opened.close()
      opened = await openTestLog(...how)
    },
    nextProject: () => {
      projects += 1
    },
    audit(more = {}, topics = [topic]) {
      const one = createRowAudit({
        ...{ log: opened.log, columnStore, maxRecordBytes: 1 << 20, share: 1, clock: Date.now, writeMode: 'events_only' as const },
        ...{ denials: nothingDenied, threads: createKeptThreads(freshThreads), ...more },
        onPassed: ({ from, until }) => passed.push([from, until]),
        onLost: (_, { first, last, spans }) => lost.push([first, last, spans]),
      })
      audits.push(one)
      one.own(topics.map(name => ({ topic: name, partition: 0 })))
      return one
    },
    async missing(one, of = topic) {
      while (await one.round());
      await one.round()
      return one
        .status()
        .find(status => status.topic === of)!
        .missing.reduce((sum, { spans }) => sum + spans, 0)
    },
    async append(spans, more = {}, to = topic) {
      const value = batchOf(spans, { projectId: projectId(), ...more })
      const [position] = await opened.log.append(to, [{ key: null, value, partition: 0 }])
      const { timestampMs } = position!
      const receivedUs = (more.receivedAtMs ?? Date.UTC(2026, 10, 21)) * 1000
      return spans.map(({ traceId, spanId, startNs = 0n, endNs = 0n }) => {
        const startUs = [startNs, endNs].map(ns => Number(ns / 1000n)).find(us => us !== 0) ?? receivedUs
        return { projectId: projectId(), traceId, spanId, startTimeUs: startUs, eventTsUs: timestampMs * 1000 }
      })
    },
    acknowledge: (offset, of = topic) => commitTo(opened.log, groupNames.writer, of, 0, offset),
  }
}
