// Fields of the filter bar, with their API columns and the values that they take.

type FieldKind = 'text' | 'searched' | 'number' | 'seconds' | 'time' | 'boolean' | 'list'

export interface BarField {
  readonly name: string
  readonly column: string
  readonly kind: FieldKind
  readonly help: string
}

const field = (name: string, column: string, kind: FieldKind, help: string): BarField => ({ name, column, kind, help })

export const barFields: readonly BarField[] = [
  field('name', 'name', 'text', 'Name of the observation'),
  field('type', 'type', 'text', 'GENERATION, AGENT, TOOL, …'),
  field('root', 'isRootObservation', 'boolean', 'Root of its trace'),
  field('level', 'level', 'text', 'DEBUG, DEFAULT, WARNING, ERROR'),
  field('status', 'statusMessage', 'text', 'Status message, such as an error'),
  field('model', 'model', 'text', 'Model as it was sent'),
  field('latency', 'latency', 'seconds', 'From start to end: >2s, 340ms..1s'),
  field('cost', 'totalCost', 'number', 'US dollars: 0.1..1'),
  field('tokens', 'totalTokens', 'number', 'Tokens in all'),
  field('env', 'environment', 'text', 'Environment'),
  field('user', 'userId', 'text', 'Id of the user'),
  field('session', 'sessionId', 'text', 'Id of the session'),
  field('tags', 'traceTags', 'list', 'Tags of the trace: (a&b) for both'),
  field('traceName', 'traceName', 'text', 'Name of the trace'),
  field('input', 'input', 'searched', 'Words of the input'),
  field('output', 'output', 'searched', 'Words of the output'),
  field('prompt', 'promptName', 'text', 'Name of the prompt'),
  field('promptVersion', 'promptVersion', 'number', 'Version of the prompt'),
  field('version', 'version', 'text', 'Version of what was observed'),
  field('release', 'release', 'text', 'Release of the application'),
  field('trace', 'traceId', 'text', 'Id of the trace'),
  field('id', 'id', 'text', 'Id of the observation'),
  field('parent', 'parentObservationId', 'text', 'Id of its parent'),
  field('hasParent', 'hasParentObservation', 'boolean', 'Has a parent'),
  field('bookmarked', 'bookmarked', 'boolean', 'Bookmarked'),
  field('public', 'public', 'boolean', 'Its trace is public'),
  field('start', 'startTime', 'time', 'When it started'),
  field('end', 'endTime', 'time', 'When it ended'),
  field('firstToken', 'completionStartTime', 'time', 'When the first token came'),
  field('created', 'createdAt', 'time', 'When it was first stored'),
  field('updated', 'updatedAt', 'time', 'When it was last stored'),
  field('ttft', 'timeToFirstToken', 'seconds', 'Time to first token'),
  field('modelId', 'modelId', 'text', 'Id of the model whose prices apply'),
  field('tier', 'usagePricingTierName', 'text', 'Tier of prices'),
  field('promptId', 'promptId', 'text', 'Id of the prompt'),
  field('inputTokens', 'inputTokens', 'number', 'Tokens of the input'),
  field('outputTokens', 'outputTokens', 'number', 'Tokens of the output'),
  field('tokensPerSecond', 'tokensPerSecond', 'number', 'Output tokens a second'),
  field('inputCost', 'inputCost', 'number', 'US dollars of the input'),
  field('outputCost', 'outputCost', 'number', 'US dollars of the output'),
  field('hasInput', 'hasInput', 'boolean', 'Has an input'),
  field('hasOutput', 'hasOutput', 'boolean', 'Has an output'),
  field('toolDefinitions', 'toolDefinitions', 'number', 'Tools that were offered'),
  field('toolCalls', 'toolCalls', 'number', 'Tools that were called'),
  field('toolNames', 'toolNames', 'list', 'Names of offered tools'),
  field('calledTools', 'calledToolNames', 'list', 'Names of called tools'),
  field('experiment', 'experimentId', 'text', 'Id of the experiment'),
  field('experimentName', 'experimentName', 'text', 'Name of the experiment'),
  field('dataset', 'experimentDatasetId', 'text', 'Id of the dataset of the experiment'),
  field('item', 'experimentItemId', 'text', 'Id of the item of the dataset'),
  field('itemRoot', 'isExperimentItemRootSpan', 'boolean', 'Run of an item of an experiment'),
  field('evaluator', 'evaluatorId', 'text', 'Evaluator that made it'),
  field('rule', 'ruleId', 'text', 'Evaluation rule that made it'),
  field('key', 'ingestionApiKey', 'text', 'Public key that sent it'),
  field('sdk', 'ingestionSdkName', 'text', 'SDK that sent it'),
  field('sdkVersion', 'ingestionSdkVersion', 'text', 'Version of that SDK'),
  field('source', 'ingestionSource', 'text', 'Way by which it came'),
]

const byName = new Map(barFields.flatMap(each => [[each.column.toLowerCase(), each] as const, [each.name.toLowerCase(), each] as const]))
const byColumn = new Map(barFields.map(each => [each.column, each]))

/** Finds a field by its name in the bar or in the API, ignoring case. */
export const fieldNamed = (name: string): BarField | undefined => byName.get(name.toLowerCase())
export const fieldOfColumn = (column: string): BarField | undefined => byColumn.get(column)

/** Prefixes of a key for columns of numeric, categorical and boolean scores. */
export const scorePrefixes = { score: '', traceScore: 'trace_' } as const
