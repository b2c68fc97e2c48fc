// Computes the expected responses of observations v2 from the sent data.
import { type Catalog, costOfCall, defaultPricesOf, isPriced, promptIdOf, tierOf } from './catalog.ts'
import type { Score, Span } from './data.ts'

export interface Project {
  readonly id: string
  readonly spans: readonly Span[]
  readonly scores: readonly Score[]
  readonly catalog: Catalog
}

export type Condition = Readonly<{ type: string; column: string; operator: string; value: unknown; key?: string }>
type Value = string | number | boolean | null | readonly string[]

const ms = (micros: number) => Math.floor(micros / 1000)
export const iso = (micros: number) => new Date(ms(micros)).toISOString()
const none = <T>(text: T | '') => (text === '' ? null : text)
const round12 = (value: number) => Number(value.toFixed(12))

export const isRoot = (span: Span) => span.parent === '' || span.appRoot
export const traceNameOf = (span: Span) => span.traceName || (isRoot(span) ? span.name : '')
export const latencyMs = (span: Span) => ms(span.end) - ms(span.start)

export function usageOf({ usage }: Span): Record<string, number> {
  if (Object.keys(usage).length === 0) return {}
  return 'total' in usage ? usage : { ...usage, total: Object.values(usage).reduce((a, b) => a + b, 0) }
}

export const costOf = (span: Span, { catalog }: Project) => costOfCall(span, catalog)

export const sumOf = (map: Readonly<Record<string, number>>, part: string) =>
  round12(
    Object.entries(map)
      .filter(([key]) => key.toLowerCase().includes(part))
      .reduce((sum, [, value]) => sum + value, 0),
  )

function flatten(value: Readonly<Record<string, unknown>>, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, each]) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? flatten(each as Record<string, unknown>, `${prefix}${key}.`)
      : [[`${prefix}${key}`, each] as [string, unknown]],
  )
}
export const flat = (value: Readonly<Record<string, unknown>>) => Object.fromEntries(flatten(value))

export const metadataOf = (span: Span): Record<string, unknown> => ({
  'resourceAttributes.service.name': 'shop',
  'scope.name': 'svc-sdk',
  'scope.version': '6.0.0',
  ...flat(span.metadata),
})

function cut(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const short = [...text].slice(0, 200).join('')
  return short === text ? value : short
}
const sanitized = (parameters: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => [
      key,
      typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value),
    ]),
  )
const seconds = (millis: number) => (millis === 0 ? null : millis / 1000)

const modelIdOf = (span: Span, { catalog }: Project) => (isPriced(span) ? catalog.model.id : '')

export interface Shown {
  readonly groups: ReadonlySet<string>
  readonly expand: boolean
}

export function row(span: Span, project: Project, { groups, expand }: Shown): Record<string, unknown> {
  const has = (group: string) => groups.has(group)
  const { catalog } = project
  const prices = isPriced(span) ? defaultPricesOf(catalog) : undefined
  const modelId = modelIdOf(span, project) || null
  const whole = expand || has('io')
  return {
    id: span.id,
    traceId: span.traceId,
    startTime: iso(span.start),
    endTime: iso(span.end),
    projectId: span.projectId,
    parentObservationId: none(span.parent),
    type: span.type,
    ...(has('basic')
      ? {
          name: none(span.name),
          statusMessage: none(span.statusMessage),
          version: none(span.version),
          environment: span.environment,
          userId: none(span.userId),
          sessionId: none(span.sessionId),
          level: span.level,
          bookmarked: false,
          public: span.public,
          isRootObservation: isRoot(span),
        }
      : {}),
    ...(has('time')
      ? { completionStartTime: span.completion === undefined ? null : iso(span.completion), createdAt: 'time', updatedAt: 'time' }
      : {}),
    ...(has('io') ? { input: none(span.input), output: none(span.output) } : {}),
    ...(has('metadata')
      ? { metadata: Object.fromEntries(Object.entries(metadataOf(span)).map(([key, value]) => [key, whole ? value : cut(value)])) }
      : {}),
    ...(has('model')
      ? {
          model: none(span.model),
          providedModelName: none(span.model),
          internalModelId: modelId,
          modelParameters: sanitized(span.modelParameters),
        }
      : {}),
    ...(has('usage')
      ? {
          usageDetails: usageOf(span),
          costDetails: costOf(span, project),
          totalCost: costOf(span, project)['total'] ?? null,
          usagePricingTierName: tierOf(span, catalog)?.name ?? null,
        }
      : {}),
    ...(has('prompt')
      ? {
          promptId: promptIdOf(catalog, span.promptName, span.promptVersion) ?? null,
          promptName: none(span.promptName),
          promptVersion: span.promptVersion ?? null,
        }
      : {}),
    ...(has('metrics')
      ? {
          latency: seconds(latencyMs(span)),
          timeToFirstToken: span.completion === undefined ? null : seconds(ms(span.completion) - ms(span.start)),
        }
      : {}),
    ...(has('trace_context') ? { traceName: none(traceNameOf(span)), tags: span.tags, release: none(span.release) } : {}),
    modelId: has('model') ? modelId : null,
    inputPrice: has('model') && prices ? String(prices.input) : null,
    outputPrice: has('model') && prices ? String(prices.output) : null,
    totalPrice: null,
  }
}

const numberOrNull = (value: number | undefined) => value ?? null
export const columns: Readonly<
  Record<string, readonly [kind: 's' | 'n' | 'd' | 'b' | 'a' | 'io', get: (span: Span, project: Project) => Value]>
> = {
  environment: ['s', span => span.environment],
  type: ['s', span => span.type],
  id: ['s', span => span.id],
  name: ['s', span => span.name],
  traceId: ['s', span => span.traceId],
  startTime: ['d', span => span.start],
  endTime: ['d', span => span.end],
  level: ['s', span => span.level],
  statusMessage: ['s', span => span.statusMessage],
  version: ['s', span => span.version],
  release: ['s', span => span.release],
  userId: ['s', span => span.userId],
  sessionId: ['s', span => span.sessionId],
  model: ['s', span => span.model],
  providedModelName: ['s', span => span.model],
  modelId: ['s', modelIdOf],
  promptName: ['s', span => span.promptName],
  promptVersion: ['n', span => numberOrNull(span.promptVersion)],
  parentObservationId: ['s', span => span.parent],
  isRootObservation: ['b', isRoot],
  hasParentObservation: ['b', span => span.parent !== ''],
  hasInput: ['b', span => span.input !== ''],
  hasOutput: ['b', span => span.output !== ''],
  traceName: ['s', traceNameOf],
  traceTags: ['a', span => span.tags],
  tags: ['a', span => span.tags],
  traceEnvironment: ['s', span => span.environment],
  latency: ['n', span => latencyMs(span) / 1000],
  timeToFirstToken: ['n', span => (span.completion === undefined ? null : (ms(span.completion) - ms(span.start)) / 1000)],
  tokensPerSecond: ['n', span => (latencyMs(span) === 0 ? null : sumOf(usageOf(span), 'output') / (latencyMs(span) / 1000))],
  inputTokens: ['n', span => sumOf(usageOf(span), 'input')],
  outputTokens: ['n', span => sumOf(usageOf(span), 'output')],
  totalTokens: ['n', span => numberOrNull(usageOf(span)['total'])],
  tokens: ['n', span => numberOrNull(usageOf(span)['total'])],
  inputCost: ['n', (span, project) => sumOf(costOf(span, project), 'input')],
  outputCost: ['n', (span, project) => sumOf(costOf(span, project), 'output')],
  totalCost: ['n', (span, project) => numberOrNull(costOf(span, project)['total'])],
  input: ['io', span => span.input],
  output: ['io', span => span.output],
  experimentId: ['s', span => span.experiment['id'] ?? ''],
  experimentName: ['s', span => span.experiment['name'] ?? ''],
  experimentDatasetId: ['s', span => span.experiment['dataset.id'] ?? ''],
  isExperimentItemRootSpan: ['b', span => span.experiment['item.root_observation_id'] === span.id],
  toolDefinitions: ['n', () => 0],
  toolCalls: ['n', () => 0],
  toolNames: ['a', () => []],
  calledToolNames: ['a', () => []],
}

const tokens = (text: string) => text.toLowerCase().match(/[a-z0-9\u0080-\u{10ffff}]+/gu) ?? []
const lowerAscii = (text: string) => text.replace(/[A-Z]/g, deadLetter => deadLetter.toLowerCase())
function matches(text: string, value: string): boolean {
  const own = new Set(tokens(lowerAscii(text)))
  return lowerAscii(text).includes(lowerAscii(value)) && tokens(lowerAscii(value)).every(token => own.has(token))
}

function textHolds(text: string, operator: string, value: string): boolean {
  switch (operator) {
    case '=':
      return text === value
    case 'contains':
      return text.includes(value)
    case 'does not contain':
      return !text.includes(value)
    case 'starts with':
      return text.startsWith(value)
    case 'ends with':
      return text.endsWith(value)
    case 'matches':
      return matches(text, value)
    default:
      throw new Error(operator)
  }
}
function numberHolds(left: number, operator: string, right: number): boolean {
  switch (operator) {
    case '=':
      return left === right
    case '>':
      return left > right
    case '<':
      return left < right
    case '>=':
      return left >= right
    case '<=':
      return left <= right
    default:
      throw new Error(operator)
  }
}
export const microIsoOf = (micros: number) => `${iso(micros).slice(0, -1)}${String(((micros % 1000) + 1000) % 1000).padStart(3, '0')}Z`
const microsOf = (text: string) => Date.parse(text) * 1000 + Number(/\.\d{3}(\d{3})/.exec(text)?.[1] ?? 0)

export function valueHolds(value: Value, { type, operator, value: given }: Condition): boolean {
  if (type === 'null') return (value === null || value === '') === (operator === 'is null')
  if (type === 'boolean') return (value === given) === (operator === '=')
  if (type === 'arrayOptions') {
    const own = value as readonly string[]
    const asked = given as readonly string[]
    return operator === 'all of'
      ? asked.every(each => own.includes(each))
      : asked.some(each => own.includes(each)) === (operator === 'any of')
  }
  if (type === 'number') return value !== null && numberHolds(value as number, operator, given as number)
  if (type === 'datetime') return value !== null && numberHolds(value as number, operator, microsOf(given as string))
  if (type === 'stringOptions') return (given as readonly string[]).includes((value ?? '') as string) === (operator === 'any of')
  return textHolds((value ?? '') as string, operator, given as string)
}

export function metadataHolds(metadata: Readonly<Record<string, unknown>>, { type, key, operator, value }: Condition): boolean {
  const has = Object.hasOwn(metadata, key!)
  if (operator === 'is set' || operator === 'is not set') return has === (operator === 'is set')
  const own = metadata[key!]
  if (type === 'numberObject') return typeof own === 'number' && numberHolds(own, operator, value as number)
  if (type === 'booleanObject') return typeof own === 'boolean' && (own === value) === (operator === '=')
  return has && textHolds(own === null ? '' : typeof own === 'string' ? own : JSON.stringify(own), operator, value as string)
}

export function holds(span: Span, condition: Condition, project: Project): boolean {
  const { column, key, operator, value } = condition
  if (column === 'metadata') return metadataHolds(metadataOf(span), condition)
  const match = /^(trace_)?(scores_avg|score_categories|score_booleans)$/.exec(column)
  if (!match) return valueHolds(columns[column]![1](span, project), condition)
  const scores = project.scores.filter(
    score => score.name === key && score.traceId === span.traceId && score.observationId === (match[1] ? undefined : span.id),
  )
  if (match[2] === 'scores_avg') {
    const numbers = scores.filter(({ dataType }) => dataType === 'NUMERIC' || dataType === 'BOOLEAN').map(score => score.value as number)
    return numbers.length > 0 && numberHolds(numbers.reduce((a, b) => a + b, 0) / numbers.length, operator, value as number)
  }
  if (match[2] === 'score_categories') {
    return (
      scores.some(
        ({ dataType, value: label }) =>
          (dataType === 'CATEGORICAL' || dataType === 'TEXT') && (value as string[]).includes(label as string),
      ) ===
      (operator === 'any of')
    )
  }
  return scores.some(score => score.dataType === 'BOOLEAN' && (score.value === 1) === value) === (operator === '=')
}

export function xxHash32(text: string): number {
  const [p1, p2, p3, p4, p5] = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1] as const
  const bytes = Buffer.from(text)
  const turn = (x: number, by: number) => (x << by) | (x >>> (32 - by))
  let at = 0
  let hash: number = p5
  if (bytes.length >= 16) {
    const lanes = [(p1 + p2) | 0, p2 | 0, 0, -p1 | 0]
    for (; at <= bytes.length - 16; at += 16) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = Math.imul(turn((lanes[lane]! + Math.imul(bytes.readInt32LE(at + lane * 4), p2)) | 0, 13), p1)
    }
    hash = turn(lanes[0]!, 1) + turn(lanes[1]!, 7) + turn(lanes[2]!, 12) + turn(lanes[3]!, 18)
  }
  hash = (hash + bytes.length) | 0
  for (; at <= bytes.length - 4; at += 4) hash = Math.imul(turn((hash + Math.imul(bytes.readInt32LE(at), p3)) | 0, 17), p4)
  for (; at < bytes.length; at++) hash = Math.imul(turn((hash + Math.imul(bytes[at]!, p5)) | 0, 11), p1)
  hash = Math.imul(hash ^ (hash >>> 15), p2)
  hash = Math.imul(hash ^ (hash >>> 13), p3)
  return (hash ^ (hash >>> 16)) >>> 0
}

export const byText = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))
export const newestFirst = (left: Span, right: Span) =>
  right.start - left.start || xxHash32(right.traceId) - xxHash32(left.traceId) || byText(right.id, left.id)
