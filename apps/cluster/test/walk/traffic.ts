// Live traffic during an upgrade test: requests of clients of all generations, deletions, and retries after a deletion.
import type { RunningCluster } from '../../src/cluster.ts'
import type { Changes } from './changes.ts'
import type { Client } from './client.ts'
import type { Mode } from './processes.ts'
import { type Accepted, createSenders, traceIdsOf } from './senders.ts'

export interface Traffic {
  readonly accepted: readonly Accepted[]
  /** For each event refused because of its type, the mode of the process that refused it. */
  readonly refused: readonly (Mode | null)[]
  readonly broken: readonly string[]
  /** Resolves when all pending requests have been accepted. */
  pause(): Promise<void>
  resume(): void
}

/** Sends one round per `roundMs`: a request of each kind and, if there are changes, a change of each kind. */
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
    // Sends an event of a trace that began some rounds ago. The earlier trace possibly began in a different mode, or is already deleted.
    const [earlier] = traceIdsOf(Math.max(1, number - 20))
    if (accepted.some(({ kind, id }) => kind === 'trace' && id === earlier)) {
      await events([['update of a trace', 'trace-create', { id: earlier, output: 'late' } as { id: string }]])
    }
  }

  /** Sends an event of a v3 trace that this version has never received. */
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
