// Changes traces that were already sent: creates run items, sets flags, and deletes traces.
import type { TestCluster } from '../cluster.ts'
import type { Administrator } from './administrator.ts'
import type { Client, Sent } from './client.ts'
import type { Processes } from './processes.ts'
import { type Accepted, createSenders, spanIdOf, traceIdsOf } from './senders.ts'
import { areStored, type Deleted, type Flags } from './tables.ts'

export interface Changes {
  readonly accepted: Accepted[]
  readonly deleted: Deleted
  readonly flags: ReadonlyMap<string, Flags>
  make(round: number): Promise<void>
  makeProject(id: string): Promise<void>
  deleteProject(): Promise<void>
}

/** Ids in the projects of `makeProject` contain numbers above this value, so that no id also occurs in the first project. */
const firstOfProject = 1_000_000
const itemId = 'walk-item'
const v3Deleted = 'v3-deleted-trace'

export interface ChangesOptions {
  readonly cluster: TestCluster
  readonly client: Client
  readonly processes: Processes
  readonly administrator: Administrator
}

export function createChanges({ cluster, client, processes, administrator }: ChangesOptions): Changes {
  const { running } = cluster
  const accepted: Accepted[] = []
  const flags = new Map<string, Flags>()
  const deleted = { traces: new Set<string>(), scores: new Set<string>(), projects: new Set<string>() }
  const deletedRounds: number[] = []
  const toFlag: number[] = []
  const unrecorded = createSenders(running, client, null)
  const recorded = createSenders(running, client, { accepted, refused: [] })
  let project: { readonly id: string; readonly sent: Sent } | null = null
  let roundsOfProjects = firstOfProject

  async function runItem(traceId: string, observationId: string | null): Promise<void> {
    const body = { runName: 'walk', datasetItemId: itemId, traceId, observationId }
    const { status, text, mode } = await client.json('/api/public/dataset-run-items', body)
    if (status === 200) accepted.push({ kind: 'run item', id: (JSON.parse(text) as { id: string }).id, traceId, mode })
  }

  /** Creates a run item, either for a whole trace, or for an observation and all observations below it. */
  async function runItemOf(round: number): Promise<void> {
    if (round % 2 === 1) return
    const of = (round / 2) % 3
    const first = spanIdOf(round, of === 1, 0)
    await runItem(traceIdsOf(round)[of]!, of === 0 || round % 4 === 0 ? null : first)
  }

  async function flagWhatIsStored(round: number): Promise<void> {
    toFlag.push(round)
    const traceId = traceIdsOf(toFlag[0]!)[toFlag[0]! % 3]!
    const [mode] = running.apis.map(processes.modeOf)
    const items = accepted.filter(each => each.traceId === traceId && each.kind !== 'score')
    if (!deleted.traces.has(traceId)) {
      if (mode === null || mode === undefined || items.length === 0 || !(await areStored(cluster, items))) return
      const isBookmarked = toFlag[0]! % 4 !== 3
      await administrator.setFlags(traceId, { bookmarked: true, public: true }, mode)
      if (!isBookmarked) await administrator.setFlags(traceId, { bookmarked: false }, mode)
      flags.set(traceId, { bookmarked: isBookmarked, public: true })
    }
    toFlag.shift()
  }

  async function deleteTraces(round: number): Promise<void> {
    if (round % 3 !== 0 || round < 7) return
    const traceIds = traceIdsOf(round - 6)
    for (const id of traceIds) deleted.traces.add(id)
    if (round % 2 === 0) await client.json('/api/public/traces', { traceIds }, { method: 'DELETE' })
    else for (const id of traceIds) await client.send(running.apis, `/api/public/traces/${id}`, { method: 'DELETE' })
    deletedRounds.push(round - 6)
  }

  async function deleteScore(id: string): Promise<void> {
    deleted.scores.add(id)
    await client.send(running.apis, `/api/public/scores/${id}`, { method: 'DELETE' })
  }

  async function deleteScores(round: number): Promise<void> {
    if (round % 5 === 0 && round > 5) await deleteScore(`score-${round - 4}`)
    if (round % 5 !== 1) return
    await recorded.score(`short-${round}`, traceIdsOf(round)[1])
    await deleteScore(`short-${round}`)
  }

  /** Sends data of deleted traces again, in every write mode. */
  async function sendDeletedAgain(round: number): Promise<void> {
    const of = deletedRounds[round % deletedRounds.length]
    if (of === undefined) return
    const traceIds = traceIdsOf(of)
    const traceId = traceIds[round % 3]!
    await Promise.all([
      unrecorded.spans(of, round % 2 === 0 ? 'span of a new SDK' : 'span of an old SDK'),
      unrecorded.legacyTrace(of),
      unrecorded.score(`late-score-${round}`, traceId),
      runItem(traceId, null),
    ])
  }

  async function sendToProject(): Promise<void> {
    if (project === null) return
    const number = ++roundsOfProjects
    // The gateways refuse the keys of a deleted project after at most half a minute.
    const sent = { ...project.sent, mayRefuse: deleted.projects.has(project.id) ? [401] : [] }
    await Promise.all([
      unrecorded.spans(number, 'span of a new SDK', sent),
      unrecorded.spans(number, 'span of an old SDK', sent),
      unrecorded.legacyTrace(number, sent),
      unrecorded.score(`score-${number}`, traceIdsOf(number)[0], sent),
    ])
  }

  async function deleteOfV3(round: number): Promise<void> {
    if (round !== 2) return
    deleted.traces.add(v3Deleted)
    await client.send(running.apis, `/api/public/traces/${v3Deleted}`, { method: 'DELETE' })
    const [mode] = running.apis.map(processes.modeOf)
    await administrator.setFlags('v3-trace', { bookmarked: true }, mode ?? 'legacy')
    flags.set('v3-trace', { bookmarked: true, public: false })
  }

  return {
    accepted,
    deleted,
    flags,
    async make(round) {
      const changes = [runItemOf, flagWhatIsStored, deleteTraces, deleteScores, sendDeletedAgain, sendToProject, deleteOfV3]
      await Promise.all(changes.map(change => change(round)))
    },
    async makeProject(id) {
      project = { id, sent: { authorization: await administrator.makeProject(id) } }
    },
    async deleteProject() {
      deleted.projects.add(project!.id)
      const sent = { method: 'DELETE', authorization: administrator.organization, mayRefuse: [404] }
      await client.send(running.apis, `/api/public/projects/${project!.id}`, sent)
    },
  }
}
