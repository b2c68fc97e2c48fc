import type { Column } from '@svc-server/schema/events/columns'

type Entries = readonly (readonly [string, unknown])[]

const timeText = (value: number, digits: 3 | 6): string => {
  const ms = digits === 3 ? value : Math.floor(value / 1000)
  const text = new Date(ms).toISOString().slice(0, -1).replace('T', ' ')
  return digits === 3 ? text : `${text}${String(value % 1000).padStart(3, '0')}`
}

const money = (units: unknown): number => Number(units) / 1e12

function shown(type: string, value: unknown): unknown {
  const inner = /^Nullable\((.*)\)$/.exec(type)?.[1]
  if (inner !== undefined) return value === null || value === undefined ? null : shown(inner, value)
  if (type.startsWith('Map(')) {
    const of = type.includes('Decimal') ? money : type.includes('UInt64') ? String : (text: unknown) => text
    return Object.fromEntries(((value ?? []) as Entries).map(([name, cell]) => [name, of(cell)]))
  }
  if (type.startsWith('Array(')) return value ?? []
  if (type.startsWith('Decimal(')) return money(value)
  if (type === 'Bool') return value === 1
  if (type === 'UInt64') return String(value ?? 0)
  if (type.startsWith('UInt')) return value ?? 0
  if (type === 'DateTime64(3)') return timeText(value as number, 3)
  if (type === 'DateTime64(6)') return timeText(value as number, 6)
  return value ?? ''
}

export const shownAs =
  (columns: readonly Column[]) =>
  (row: object): Record<string, unknown> =>
    Object.fromEntries(columns.map(({ name, type }) => [name, shown(type, (row as Record<string, unknown>)[name])]))
