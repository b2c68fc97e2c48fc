// Fields of the filter bar, with their API columns and accepted values.

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
  field('root', 'isRootObservation', 'boolean', 'Whether it is the root of its trace'),
  field('level', 'level', 'text', 'DEBUG, DEFAULT, WARNING, ERROR'),
  field('status', 'statusMessage', 'text', 'Status message, such as an error'),
  field('model', 'model', 'text', 'Name of the model, as sent'),
  field('latency', 'latency', 'seconds', 'Time from start to end: >2s, 340ms..1s'),
  field('cost', 'totalCost', 'number', 'Total cost in US dollars: 0.1..1'),
  field('tokens', 'totalTokens', 'number', 'Total tokens'),
  field('env', 'environment', 'text', 'Environment'),
  field('user', 'userId', 'text', 'Id of the user'),
  field('session', 'sessionId', 'text', 'Id of the session'),
  field('tags', 'traceTags', 'list', 'Tags of the trace: (a&b) for both tags'),
  field('traceName', 'traceName', 'text', 'Name of the trace'),
  field('input', 'input', 'searched', 'Words in the input'),
  field('output', 'output', 'searched', 'Words in the output'),
  field('prompt', 'promptName', 'text', 'Name of the prompt'),
  field('promptVersion', 'promptVersion', 'number', 'Version of the prompt'),
  field('version', 'version', 'text', 'Version of the observed code'),
  field('release', 'release', 'text', 'Release of the application'),
  field('trace', 'traceId', 'text', 'Id of the trace'),
  field('id', 'id', 'text', 'Id of the observation'),
  field('parent', 'parentObservationId', 'text', 'Id of the parent observation'),
  field('hasParent', 'hasParentObservation', 'boolean', 'Whether it has a parent'),
  field('bookmarked', 'bookmarked', 'boolean', 'Whether it is bookmarked'),
  field('public', 'public', 'boolean', 'Whether its trace is public'),
  field('start', 'startTime', 'time', 'Start time'),
  field('end', 'endTime', 'time', 'End time'),
  field('firstToken', 'completionStartTime', 'time', 'Time of the first token'),
  field('created', 'createdAt', 'time', 'Time when it was first stored'),
  field('updated', 'updatedAt', 'time', 'Time when it was last stored'),
  field('ttft', 'timeToFirstToken', 'seconds', 'Time from the start to the first token'),
  field('modelId', 'modelId', 'text', 'Id of the model with the applied prices'),
  field('tier', 'usagePricingTierName', 'text', 'Price tier'),
  field('promptId', 'promptId', 'text', 'Id of the prompt'),
  field('inputTokens', 'inputTokens', 'number', 'Number of input tokens'),
  field('outputTokens', 'outputTokens', 'number', 'Number of output tokens'),
  field('tokensPerSecond', 'tokensPerSecond', 'number', 'Output tokens per second'),
  field('inputCost', 'inputCost', 'number', 'Cost of the input in US dollars'),
  field('outputCost', 'outputCost', 'number', 'Cost of the output in US dollars'),
  field('hasInput', 'hasInput', 'boolean', 'Whether it has an input'),
  field('hasOutput', 'hasOutput', 'boolean', 'Whether it has an output'),
  field('toolDefinitions', 'toolDefinitions', 'number', 'Number of offered tools'),
  field('toolCalls', 'toolCalls', 'number', 'Number of tool calls'),
  field('toolNames', 'toolNames', 'list', 'Names of offered tools'),
  field('calledTools', 'calledToolNames', 'list', 'Names of called tools'),
  field('experiment', 'experimentId', 'text', 'Id of the experiment'),
  field('experimentName', 'experimentName', 'text', 'Name of the experiment'),
  field('dataset', 'experimentDatasetId', 'text', 'Id of the experiment’s dataset'),
  field('item', 'experimentItemId', 'text', 'Id of the dataset item'),
  field('itemRoot', 'isExperimentItemRootSpan', 'boolean', 'Whether it is the root of an experiment item'),
  field('evaluator', 'evaluatorId', 'text', 'Id of the evaluator that created it'),
  field('rule', 'ruleId', 'text', 'Id of the evaluation rule that created it'),
  field('key', 'ingestionApiKey', 'text', 'Public key with which it was sent'),
  field('sdk', 'ingestionSdkName', 'text', 'SDK with which it was sent'),
  field('sdkVersion', 'ingestionSdkVersion', 'text', 'Version of the SDK'),
  field('source', 'ingestionSource', 'text', 'Path on which it was ingested'),
]

const byName = new Map(barFields.flatMap(each => [[each.column.toLowerCase(), each] as const, [each.name.toLowerCase(), each] as const]))
const byColumn = new Map(barFields.map(each => [each.column, each]))

/** Ignores case. */
export const fieldNamed = (name: string): BarField | undefined => byName.get(name.toLowerCase())
export const fieldOfColumn = (column: string): BarField | undefined => byColumn.get(column)

export const scorePrefixes = { score: '', traceScore: 'trace_' } as const
