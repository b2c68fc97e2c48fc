import { columns } from '../src/observations/query.ts'

type Pair = readonly [passes: object, fails: object]
export function filtersOf(column: string, shown: unknown): readonly Pair[] {
  const { kind } = columns.get(column) ?? { kind: 'unknown' }
  const value = shown ?? ''
  const isNull = { type: 'null', column, operator: 'is null', value: '' }
  if (shown === null) return [[isNull, { ...isNull, operator: 'is not null' }]]
  if (kind === 'text')
    return [
      [
        { type: 'string', column, operator: '=', value: text(value) },
        { type: 'string', column, operator: '=', value: 'other' },
      ],
    ]
  if (kind === 'searched')
    return [
      [
        { type: 'string', column, operator: '=', value },
        { type: 'string', column, operator: '=', value: 'other' },
      ],
    ]
  if (kind === 'number' || kind === 'price')
    return [
      [
        { type: 'number', column, operator: '=', value: Number(value) },
        { type: 'number', column, operator: '<', value: -9 },
      ],
    ]
  if (kind === 'boolean')
    return [
      [
        { type: 'boolean', column, operator: '=', value },
        { type: 'boolean', column, operator: '<>', value },
      ],
    ]
  if (kind === 'list')
    return [
      [
        { type: 'arrayOptions', column, operator: 'all of', value },
        { type: 'arrayOptions', column, operator: 'none of', value },
      ],
    ]
  if (kind === 'time') {
    const next = new Date(Date.parse(String(value)) + 1).toISOString()
    return [
      [
        { type: 'datetime', column, operator: '<', value: next },
        { type: 'datetime', column, operator: '>=', value: next },
      ],
    ]
  }
  if (kind !== 'amounts' && kind !== 'metadata') throw new Error(`Nothing filters ${column}`)
  return Object.entries(value).flatMap(([key, of]): readonly Pair[] => {
    const type = typeof of === 'number' ? 'numberObject' : typeof of === 'boolean' ? 'booleanObject' : 'stringObject'
    if (type !== 'stringObject')
      return [
        [
          { type, column, key, operator: '=', value: of },
          { type, column, key, operator: '=', value: of === true ? false : -9 },
        ],
      ]
    const is = { type, column, key, value: '' }
    return [
      [
        { ...is, operator: 'is set' },
        { ...is, operator: 'is not set' },
      ],
    ]
  })
}
const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
