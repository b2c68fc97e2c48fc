// Lists the parts that v6 has removed or moved, in the order of contract §9.2. Creates an application that uses these parts. In this
// application, each line after a `@ts-expect-error` must fail to compile.
import published from '../../libs/api/test/fixtures/published-operations.json' with { type: 'json' }

/** Removed members of `SvcClient`. */
const removedAliases: readonly string[] = [
  ...['getPrompt', 'createPrompt', 'updatePrompt', 'getDataset', 'createDatasetItem', 'resolveMediaReferences', 'createDataset'],
  ...['getDatasetItem', 'fetchMedia', 'fetchTrace', 'fetchTraces', 'fetchObservation', 'fetchObservations', 'fetchSessions'],
  ...['getDatasetRun', 'getDatasetRuns'],
]

/** Removed paths below `client.api`. */
const removedBelowApi: readonly string[] = [
  ...['legacy', 'sessions', 'scoresV3', 'datasetRunItems', 'trace.get', 'trace.list', 'scores.getById', 'scores.getManyV3'],
  ...['datasets.getRun', 'datasets.getRuns', 'datasets.deleteRun', 'unstable.evaluators', 'unstable.evaluationRules'],
]

/** Removed exports, by package. */
const removedExports: Readonly<Record<string, readonly string[]>> = {
  '@svc/tracing': ['setActiveTraceIO', 'createTraceAttributes', 'SvcTraceAttributes'],
  '@svc/client': ['LinkDatasetItemFunction'],
  '@svc/core': [
    ...['legacy', 'sessions', 'scoresV3', 'datasetRunItems', 'SdkLogEvent', 'SdkLogBody'],
    ...['Trace', 'Traces', 'TraceWithDetails', 'TraceWithFullDetails', 'Session', 'SessionWithTraces', 'PaginatedSessions'],
    ...['Observation', 'ObservationsView', 'ObservationsViewSingle', 'DatasetRun', 'DatasetRunWithItems', 'DatasetRunItem'],
    ...['PaginatedDatasetRuns', 'PaginatedDatasetRunItems', 'CreateDatasetRunItemRequest', 'DeleteDatasetRunResponse'],
    ...['ScoreV1', 'BaseScoreV1', 'NumericScoreV1', 'BooleanScoreV1', 'CategoricalScoreV1', 'TextScoreV1'],
  ],
}

interface Operation {
  readonly operation: string
  readonly pathParams?: readonly { readonly type: string }[]
  readonly emptyRequest?: boolean
}

/** Methods that take an empty request, each with values for its path parameters. */
const emptyRequests = (published.operations as readonly Operation[])
  .filter(({ emptyRequest }) => emptyRequest)
  .map(({ operation, pathParams = [] }) => ({
    operation,
    path: pathParams.map(({ type }) => (type === 'integer' ? '1, ' : "'a', ")).join(''),
  }))

function callsOf({ operation, path }: (typeof emptyRequests)[0]): string {
  const call = (given: string): string => `client.api.${operation}(${path}${given})`
  const refused = ['options', '{ timeoutInSeconds: 5 }', '{ maxRetries: 0 }'].map(given => `// @ts-expect-error\n${call(given)}`)
  return [call(''), call('{}'), call('{}, options'), ...refused].join('\n')
}

const imports = Object.entries(removedExports).flatMap(([from, names]) =>
  names.map(name => `// @ts-expect-error\nexport type { ${name} as removed_${from.slice(5)}_${name} } from '${from}'`),
)

const lines: readonly string[] = [
  "import type { RequestOptions } from '@svc/core'",
  "import type { FetchedDataset, SvcClient } from '@svc/client'",
  "import type { SvcObservation } from '@svc/tracing'",
  ...imports,
  'declare const client: SvcClient, dataset: FetchedDataset, observation: SvcObservation, options: RequestOptions',
  'export async function removed() {',
  ...removedAliases.map(name => `// @ts-expect-error\nclient.${name}`),
  ...removedBelowApi.map(path => `// @ts-expect-error\nclient.api.${path}`),
  ...['dataset.items[0]!.link', 'observation.setTraceIO'].map(line => `// @ts-expect-error\n${line}`),
  ...emptyRequests.map(callsOf),
  "// @ts-expect-error\nclient.api.scores.create({ name: 'a', value: 1 })",
  "// @ts-expect-error\nconst { id } = await client.api.scores.create([{ name: 'a', value: 1 }])",
  "// @ts-expect-error\nclient.api.scores.getMany({ scoreIds: 'a' })",
  "client.api.scores.getMany({ id: 'a' })",
  "client.api.scores.delete('a', {}, options)",
  '}',
]
export const removedApplication: string = lines.join('\n')

/** A program that prints the parts of the SDK that should have been removed but still exist. */
export const absentProgram = `
import { SvcClient } from '@svc/client'
import { startObservation } from '@svc/tracing'
const client = new SvcClient({ publicKey: 'pk', secretKey: 'sk' })
const at = (from, path) => path.split('.').reduce((value, name) => value?.[name], from)
const there = [
  ...${JSON.stringify(removedAliases)}.filter(name => at(client, name) !== undefined),
  ...${JSON.stringify(removedBelowApi)}.filter(path => at(client.api, path) !== undefined),
  ...['setTraceIO'].filter(name => at(startObservation('a'), name) !== undefined),
]
for (const [from, names] of Object.entries(${JSON.stringify(removedExports)})) {
  const exported = await import(from)
  there.push(...names.filter(name => name in exported))
}
process.stdout.write(there.join())
`
