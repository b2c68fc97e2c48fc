// Creates datasets, runs and run items for one project, and the expected responses of their legacy reads.
import type { Client, Row } from './client.ts'
import { base, type Random, withOffset } from './data.ts'
import type { LegacyProject } from './legacy-data.ts'

interface RunItem {
  readonly run: Run
  readonly row: Row
}
interface Run {
  readonly dataset: Row
  readonly name: string
  readonly description: string | null
  readonly metadata: unknown
}
export interface Runs {
  readonly runs: readonly Run[]
  readonly items: readonly RunItem[]
}

const runNames = ['first', 'of/ü 100%', 'third']

export async function createRuns(client: Client): Promise<readonly Run[]> {
  const runs: Run[] = []
  for (const name of ['questions', 'folder/ü']) {
    const dataset = await client.send('POST', '/v2/datasets', { name })
    for (let n = 0; n < 4; n++) await client.send('POST', '/dataset-items', { datasetName: name, id: `${name}-${n}`, input: n })
    for (const [at, run] of runNames.entries()) {
      const metadata = [null, { deep: { on: true } }, 'text'][at]!
      runs.push({ dataset, name: run, description: at === 0 ? null : `of ${name}`, metadata })
    }
  }
  return runs
}

export async function sendRunItems(client: Client, random: Random, project: LegacyProject, runs: readonly Run[], count: number) {
  const items = new Map<string, RunItem>()
  for (let n = 0; n < count; n++) {
    const run = random.pick(runs)
    const observation = random.pick(project.observations)
    const { traceId } = observation
    const observationId = random.chance(0.5) ? observation.id : undefined
    const createdAt = base + random.below(1_000) * 1_000
    const row = await client.send('POST', '/dataset-run-items', {
      ...{ runName: run.name, datasetItemId: `${String(run.dataset['name'])}-${random.below(4)}`, observationId },
      ...(observationId === undefined || random.chance(0.7) ? { traceId } : {}),
      ...{ runDescription: run.description, metadata: run.metadata, createdAt: withOffset(random, createdAt) },
    })
    const expected = { traceId, observationId: observationId ?? null, createdAt: new Date(createdAt).toISOString() }
    if (Object.entries(expected).some(([name, value]) => row[name] !== value))
      throw new Error(`A run item of ${JSON.stringify(expected)} became ${JSON.stringify(row)}`)
    items.set(String(row['id']), { run, row })
  }
  return [...items.values()]
}

const withoutUpdate = (row: Row): Row => ({ ...row, updatedAt: 'time' })
const newestFirst = (left: Row, right: Row) =>
  String(right['createdAt']) < String(left['createdAt']) ? -1 : left['createdAt'] === right['createdAt'] ? byId(left, right) : 1
const byId = (left: Row, right: Row) => (String(left['id']) < String(right['id']) ? -1 : 1)

const itemsOf = (run: Run, { items }: Runs): readonly Row[] =>
  items
    .filter(item => item.run === run)
    .map(({ row }) => withoutUpdate(row))
    .sort(newestFirst)

/** Returns the row of the run. The first item creates the run, so the result is undefined if the run has no item. */
function runRow(run: Run, runs: Runs): Row | undefined {
  const [first] = itemsOf(run, runs)
  return (
    first && {
      ...{ id: first['datasetRunId'], name: run.name, description: run.description, metadata: run.metadata },
      ...{ datasetId: run.dataset['id'], datasetName: run.dataset['name'], createdAt: 'time', updatedAt: 'time' },
    }
  )
}

const pathOf = ({ dataset }: Pick<Run, 'dataset'>) => `/datasets/${encodeURIComponent(String(dataset['name']))}/runs`
export const pathOfRun = (run: Run) => `${pathOf(run)}/${encodeURIComponent(run.name)}`

type Pages = (path: string, parameters: [string, string][], limit: number) => Promise<readonly Row[]>

export async function readRuns(client: Client, random: Random, pages: Pages, { runs, items }: Runs) {
  const found: unknown[] = []
  const expected: unknown[] = []
  for (const run of runs) {
    const row = runRow(run, { runs, items })
    const ofRun = itemsOf(run, { runs, items })
    const { status, body } = await client.get(pathOfRun(run), {})
    expected.push({ run: run.name, status: row === undefined ? 404 : 200 })
    found.push({ run: run.name, status })
    if (row === undefined) continue
    const { datasetRunItems, ...own } = body
    expected.push({ ...row, datasetRunItems: ofRun })
    found.push({ ...own, createdAt: 'time', updatedAt: 'time', datasetRunItems: (datasetRunItems as Row[]).map(withoutUpdate) })
    const listed = await pages(
      '/dataset-run-items',
      [
        ['datasetId', String(run.dataset['id'])],
        ['runName', run.name],
      ],
      random.pick([2, 50]),
    )
    expected.push(ofRun)
    found.push(listed.map(withoutUpdate))
  }
  for (const dataset of new Set(runs.map(each => each.dataset))) {
    const rows = runs
      .filter(run => run.dataset === dataset)
      .map(run => runRow(run, { runs, items }))
      .filter(row => row !== undefined)
    const listed = await pages(pathOf({ dataset }), [], random.pick([2, 50]))
    const times = listed.map(({ createdAt }) => String(createdAt))
    expected.push(rows.toSorted(byId), times.toSorted().toReversed())
    const timeless = listed.map((row): Row => ({ ...row, createdAt: 'time', updatedAt: 'time' }))
    found.push(timeless.toSorted(byId), times)
  }
  return { found, expected }
}
