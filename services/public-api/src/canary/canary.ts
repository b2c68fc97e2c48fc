// Sends test items to the public address on each ingestion path, and waits until they are readable. Canaries find faults that a stuck or
// unreachable component cannot report itself (ADR 0033).
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColumnStore } from '@svc-server/column-store/port'
import { isAppError } from '@svc-server/errors'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createSeldomLog, type Logger } from '@svc-server/service/logs'
import type { Metrics } from '@svc-server/service/metrics'
import type { apiMetrics } from '../metrics.ts'
import { type CanaryPath, canaryPaths, lookFor, ways } from './paths.ts'

export interface CanaryOptions {
  readonly url: string
  readonly intervalMs: number
  readonly writeMode: WriteMode
  readonly columnStore: Pick<ColumnStore, 'query'>
  /**
   * Creates the canary's project and key if they are missing. Resolves with the value of the header `authorization`. Rejects while the
   * relational store is unavailable.
   */
  readonly authorization: () => Promise<string>
  readonly clock: () => number
  readonly metrics: Pick<Metrics<typeof apiMetrics>, 'canarySeconds' | 'canaryReadable' | 'canaries'>
  readonly logger: Logger
  readonly onBug: (error: unknown) => void
  readonly maxPending?: number
}

export interface Canary {
  start(): void
  stop(): Promise<void>
}

interface Sent {
  readonly sentMs: number
  readonly acknowledgedMs: number
}

const answerWithinMs = 10_000
/**
 * Number of test items that one path sends in an hour. If more items than this are pending, the canary stops looking for the oldest item.
 */
const hourOfCanaries = 360

export function createCanary(options: CanaryOptions): Canary {
  const { url, intervalMs, writeMode, columnStore, authorization, clock, metrics, onBug, maxPending = hourOfCanaries } = options
  const logger = options.logger.child({ component: 'canary' })
  const seldom = createSeldomLog(logger, clock, 'alsoFailed')
  const address = url.replace(/\/+$/, '')
  const stopping = new AbortController()
  let credential: Promise<string> | undefined
  let running: Promise<unknown> = Promise.resolve()

  const rest = (ms: number) => sleep(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => {})

  /** Gets the credential once. After a failure, the next call tries again. */
  function credentialOf(): Promise<string> {
    credential ??= authorization().catch(error => {
      credential = undefined
      throw error
    })
    return credential
  }

  async function send(path: CanaryPath, pending: Map<string, Sent>): Promise<void> {
    const sentMs = clock()
    const letter = ways[path].write(sentMs)
    try {
      const headers = { ...letter.headers, authorization: await credentialOf(), 'content-type': 'application/json' }
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(answerWithinMs)])
      const response = await fetch(address + letter.path, { method: 'POST', headers, body: letter.body, signal, redirect: 'error' })
      const said = await response.text()
      if (!isAccepted(response.status, said)) {
        metrics.canaries.inc({ path, outcome: 'refused' })
        return seldom.note(`refused ${path}`, 'warn', { path, status: response.status, said: said.slice(0, 500) }, 'A canary was refused')
      }
    } catch (error) {
      if (stopping.signal.aborted) return
      metrics.canaries.inc({ path, outcome: 'unanswered' })
      return seldom.note(`unanswered ${path}`, 'warn', { path, err: error }, 'A canary could not be sent')
    }
    pending.set(letter.id, { sentMs, acknowledgedMs: clock() })
    if (pending.size <= maxPending) return
    pending.delete(pending.keys().next().value!)
    metrics.canaries.inc({ path, outcome: 'given_up' })
  }

  async function look(path: CanaryPath, pending: Map<string, Sent>): Promise<void> {
    const asked = [...pending]
    const sinceMs = asked.reduce((least, [, { sentMs }]) => Math.min(least, sentMs), clock())
    const sql = lookFor(
      path,
      writeMode,
      asked.map(([id]) => id),
      sinceMs,
    )
    const found = await columnStore.query<{ readonly id: string }>(sql)
    const nowMs = clock()
    for (const { id } of found) {
      const sent = pending.get(id)
      if (sent === undefined) continue
      pending.delete(id)
      metrics.canaries.inc({ path, outcome: 'readable' })
      metrics.canarySeconds.observe({ path }, Math.max(0, nowMs - sent.acknowledgedMs) / 1000)
      readable(path, sent.sentMs)
    }
  }

  const newest = new Map<CanaryPath, number>()
  /** The metric's time never moves back, even if the canary finds an earlier item after a later item. */
  function readable(path: CanaryPath, sentMs: number): void {
    newest.set(path, Math.max(newest.get(path) ?? 0, sentMs))
    metrics.canaryReadable.set({ path }, newest.get(path)! / 1000)
  }

  async function lookAgainAndAgain(path: CanaryPath, pending: Map<string, Sent>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (pending.size > 0) await look(path, pending)
      } catch (error) {
        if (!isAppError(error)) throw error
        seldom.note(`look ${path}`, 'warn', { path, err: error }, 'Canaries could not be looked up')
      }
      await rest(ways[path].lookEveryMs)
    }
  }

  async function sendAgainAndAgain(path: CanaryPath, pending: Map<string, Sent>): Promise<void> {
    // Replicas that start at the same time send their canaries at different times, because of this random pause.
    await rest(Math.random() * Math.min(intervalMs, 1_000))
    while (!stopping.signal.aborted) {
      const startedMs = clock()
      await send(path, pending)
      await rest(Math.max(0, startedMs + intervalMs - clock()))
    }
  }

  return {
    start() {
      const paths = canaryPaths.filter(path => ways[path].isIn(writeMode))
      running = Promise.all(
        paths.map(path => {
          const pending = new Map<string, Sent>()
          readable(path, clock())
          return Promise.all([sendAgainAndAgain(path, pending), lookAgainAndAgain(path, pending)])
        }),
      ).catch(onBug)
      logger.info({ paths, intervalMs }, 'Sending canary spans and reading them back')
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** A response with a success status can still reject the item. */
function isAccepted(status: number, said: string): boolean {
  if (status === 200) return !said.includes('rejectedSpans')
  return status === 207 && said.includes('"errors":[]')
}
