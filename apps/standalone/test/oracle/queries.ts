// Creates random queries of observations v2, with the expected responses.
import { base, environments, type Random, type Span, withOffset } from './data.ts'
import { type Condition, columns, holds, iso, metadataOf, microIsoOf, newestFirst, type Project, row } from './observations.ts'

const operators = {
  datetime: ['>', '<', '>=', '<='],
  string: ['=', 'contains', 'does not contain', 'starts with', 'ends with'],
  stringOptions: ['any of', 'none of'],
  arrayOptions: ['any of', 'none of', 'all of'],
  number: ['=', '>', '<', '>=', '<='],
  boolean: ['=', '<>'],
  null: ['is null', 'is not null'],
  numberObject: ['=', '>', '<', '>=', '<='],
  booleanObject: ['=', '<>'],
  categoryOptions: ['any of', 'none of'],
  stringObject: ['=', 'contains', 'does not contain', 'starts with', 'ends with', 'matches', 'is set', 'is not set'],
} as const
const typesOf = {
  s: ['string', 'stringOptions', 'null'],
  n: ['number', 'null'],
  d: ['datetime', 'null'],
  a: ['arrayOptions'],
  b: ['boolean'],
  io: ['string'],
} as const
const keys = [
  'k',
  'seats',
  'with space',
  'ümlaut',
  'a',
  'a.b',
  'a.c.d',
  'x.y',
  'x',
  'scope.name',
  'resourceAttributes.service.name',
  'none',
]

function piece(random: Random, text: string): string {
  const points = [...text]
  const at = random.below(points.length + 1)
  const found = random.pick([
    text,
    points.slice(at, at + 1 + random.below(6)).join(''),
    points.slice(0, at).join(''),
    points.slice(at).join(''),
  ])
  return random.chance(0.1) ? found.toUpperCase() : found
}

function randomCondition(random: Random, project: Project, only?: string): Condition {
  const kind = only ?? random.pick(['column', 'column', 'column', 'column', 'metadata', 'scores'])
  const example = random.pick(project.spans)
  if (kind === 'metadata') {
    const type = random.pick(['stringObject', 'stringObject', 'numberObject', 'booleanObject'] as const)
    const operator = random.pick(operators[type])
    const own = metadataOf(example)
    const key = random.chance(0.6) ? random.pick(Object.keys(own)) : random.pick(keys)
    const text = own[key] === undefined || own[key] === null ? '' : typeof own[key] === 'string' ? own[key] : JSON.stringify(own[key])
    const value =
      type === 'numberObject'
        ? random.pick([5, 0, -2.5, 3])
        : type === 'booleanObject'
          ? random.chance(0.5)
          : operator.startsWith('is')
            ? ''
            : piece(random, text)
    if (operator === 'matches' && !/[a-z0-9]/i.test(value as string)) return randomCondition(random, project, only)
    return { type, column: 'metadata', key, operator, value }
  }
  if (kind === 'scores') {
    const column = random.pick(['scores_avg', 'score_categories', 'score_booleans'] as const)
    const type = ({ scores_avg: 'numberObject', score_categories: 'categoryOptions', score_booleans: 'booleanObject' } as const)[column]
    const value = {
      scores_avg: random.pick([0, 0.25, 0.5, 1]),
      score_categories: random.pick([['good'], ['bad', 'a,b'], ['fine text']]),
      score_booleans: random.chance(0.5),
    }[column]
    return {
      type,
      column: `${random.pick(['', 'trace_'])}${column}`,
      key: random.pick(['quality', 'tone', 'right']),
      operator: random.pick(operators[type]),
      value,
    }
  }
  const column = only && only !== 'column' ? only : random.pick(Object.keys(columns).filter(each => each !== 'input' && each !== 'output'))
  const [shape, read] = columns[column]!
  const type = random.pick(typesOf[shape] as readonly (keyof typeof operators)[])
  const operator =
    shape === 'io' ? random.pick(['=', 'matches', 'contains', 'starts with']) : random.pick(operators[type] as readonly string[])
  const own = read(example, project)
  const value = (() => {
    switch (type) {
      case 'null':
        return ''
      case 'boolean':
        return random.chance(0.5)
      case 'number':
        return random.chance(0.8) ? ((own as number | null) ?? 1) : random.pick([0, 1, 0.5, 100])
      case 'datetime':
        return random.pick([microIsoOf(own as number), iso(own as number), withOffset(random, Math.floor((own as number) / 1000))])
      case 'stringOptions':
        return random.chance(0.5) ? [own as string] : [own as string, read(random.pick(project.spans), project) as string]
      case 'arrayOptions':
        return operator === 'any of' ? random.pick([['red'], ['blue', 'ü'], ['no']]) : random.pick([[], ['red'], ['red', 'blue'], ['g,h']])
      default:
        return piece(random, own as string)
    }
  })()
  if (operator === 'matches' && !/[a-z0-9]/i.test(value as string)) return randomCondition(random, project, only)
  return { type, column, operator, value }
}

export interface Query {
  readonly parameters: readonly (readonly [string, string])[]
  readonly expected: readonly Record<string, unknown>[]
}
const groups = ['core', 'basic', 'time', 'io', 'metadata', 'model', 'usage', 'prompt', 'metrics', 'trace_context']

export function randomQuery(random: Random, project: Project): Query {
  const parameters: [string, string][] = []
  const conditions: Condition[] = Array.from({ length: random.below(3) }, () => randomCondition(random, project))
  if (random.chance(0.15)) {
    const column = random.pick(['input', 'output'])
    const found = randomCondition(random, project, column)
    conditions.push(found)
    if (found.operator !== '=' && found.operator !== 'matches')
      conditions.push({ type: 'string', column: 'input', operator: 'matches', value: 'fox' })
  }
  const tests: ((span: Span) => boolean)[] = conditions.map(condition => span => holds(span, condition, project))
  const replaced = (column: string) => conditions.some(condition => condition.column === column)
  function simple(parameter: string, value: string, test: (span: Span) => boolean, column = parameter) {
    parameters.push([parameter, value])
    if (!replaced(column)) tests.push(test)
  }
  const example = random.pick(project.spans)
  for (const column of ['name', 'userId', 'sessionId', 'traceId', 'version', 'type', 'level'] as const) {
    const value = example[column]
    if (value !== '' && random.chance(column === 'traceId' ? 0.05 : 0.08)) simple(column, value, span => span[column] === value)
  }
  if (random.chance(0.08)) simple('parentObservationId', example.parent, span => span.parent === example.parent)
  if (random.chance(0.15)) {
    const root = random.chance(0.5)
    simple('isRootObservation', String(root), span => (columns['isRootObservation']![1](span, project) as boolean) === root)
  }
  if (random.chance(0.15)) {
    const asked = environments.slice(0, 1 + random.below(2))
    if (!replaced('environment') && !replaced('traceEnvironment')) tests.push(span => asked.includes(span.environment))
    for (const each of asked) parameters.push(['environment', each])
  }
  if (random.chance(0.3)) {
    const from = base + random.below(72 * 3600) * 1000
    simple(
      'fromStartTime',
      random.chance(0.5) ? new Date(from).toISOString() : withOffset(random, from),
      span => span.start >= from * 1000,
      'startTime',
    )
  }
  if (random.chance(0.2)) {
    simple(
      'toStartTime',
      random.chance(0.5) ? iso(example.start) : withOffset(random, Math.floor(example.start / 1000)),
      span => span.start < Math.floor(example.start / 1000) * 1000,
      'startTime',
    )
  }
  if (conditions.length > 0) parameters.push(['filter', JSON.stringify(conditions)])
  const shown = random.chance(0.3) ? ['core', 'basic'] : groups.filter(() => random.chance(0.4))
  if (!random.chance(0.1)) parameters.push(['fields', shown.join(',')])
  const fields = shown.length === 0 || !parameters.some(([name]) => name === 'fields') ? ['core', 'basic'] : shown
  const expand = random.chance(0.2)
  if (expand) parameters.push(['expandMetadata', 'k'])
  const expected = project.spans
    .filter(span => tests.every(test => test(span)))
    .sort(newestFirst)
    .map(span => row(span, project, { groups: new Set(fields), expand }))
  parameters.push(['limit', String(expected.length < 40 && random.chance(0.3) ? 1 + random.below(7) : random.pick([50, 333, 1000]))])
  return { parameters, expected }
}
