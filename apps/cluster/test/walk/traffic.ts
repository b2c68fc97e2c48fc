// Sends live traffic during an upgrade: requests of SDKs of different generations, deletions, and resent data of deleted traces.
import type { RunningCluster } from '../../src/cluster.ts'
import type { Changes } from './changes.ts'
import type { Client } from './client.ts'
import type { Mode } from './processes.ts'
import { type Accepted, createSenders, traceIdsOf } from './senders.ts'

export interface Traffic {
  readonly accepted: readonly Accepted[]
  /** Write modes of the processes that refused an event because of its type. */
  readonly refused: readonly (Mode | null)[]
  readonly broken: readonly string[]
  pause(): Promise<void>
  resume(): void
}

export function startTraffic(running: RunningCluster, client: Client, changes: Changes | null, roundMs = 150): Traffic {
  const refused: (Mode | null)[] = []
  const accepted = changes?.accepted ?? []
  const { spans, events, legacyTrace, score } = createSenders(running, client, { accepted, refused })
  let isPaused = false
  let round = 0
  let lanes: Promise<unknown> = Promise.resolve()

  async function oneRound(number: number): Promise<void> {
    await Promise.all([
      spans(number, 'span of a new SDK'),
      spans(number, 'span of an old SDK'),
      legacyTrace(number),
      score(`score-${number}`, traceIdsOf(number)[0]),
      changes?.make(number),
    ])
    // The test sent this trace some rounds ago. Since then, the write mode may have changed, and the trace may have been deleted.
    const [earlier] = traceIdsOf(Math.max(1, number - 20))
    if (accepted.some(({ kind, id }) => kind === 'trace' && id === earlier)) {
      await events([['update of a trace', 'trace-create', { id: earlier, output: 'late' } as { id: string }]])
    }
  }

  async function afterV3(): Promise<void> {
    await events([
      ['update of a trace', 'trace-create', { id: 'v3-trace', output: 'late' } as { id: string }],
      ['observation', 'span-update', { id: 'v3-span', traceId: 'v3-trace', output: 'answer' } as { id: string }],
    ])
  }

  async function lane(): Promise<void> {
    if (round === 0) await afterV3()
    while (!isPaused) {
      await oneRound(++round)
      await new Promise(resume => setTimeout(resume, roundMs))
    }
  }

  const traffic: Traffic = {
    accepted,
    refused,
    broken: client.broken,
    async pause() {
      isPaused = true
      await lanes
    },
    resume() {
      isPaused = false
      lanes = lane().catch((error: Error) => client.broken.push(String(error.stack)))
    },
  }
  traffic.resume()
  return traffic
}
