// Completions in the filter bar: field names, then values from the project.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { call, type ResultOf } from '../api/client.ts'
import { barFields, fieldNamed } from '../filter/fields.ts'
import { quoteKey, quoteValue } from '../filter/write.ts'
import { observationsText as text } from '../text/observations.ts'
import { shortCount } from '../text/units.ts'

export interface Completion {
  /** Text that replaces the token before the caret. */
  readonly token: string
  readonly help: string
  readonly isOpen: boolean
}

interface Token {
  readonly from: number
  readonly text: string
}

export function tokenAt(text: string, caret: number): Token {
  const before = text.slice(0, caret)
  const from = before.search(/\S*$/)
  return { from, text: before.slice(from) }
}

/** The server counts values only for these columns. */
const counted = new Set([
  ...['name', 'type', 'level', 'statusMessage', 'model', 'environment', 'release', 'version'],
  ...['traceName', 'promptName', 'promptVersion', 'userId', 'sessionId', 'traceTags'],
])

const keyed = {
  metadata: text.keyed.metadata,
  score: text.keyed.score,
  traceScore: text.keyed.traceScore,
} as const
const names = [
  ...barFields.map(({ name, column, help }) => ({ name, column, help, mark: ':' })),
  ...Object.entries(keyed).map(([name, help]) => ({ name, column: name, help, mark: '.' })),
  { name: 'has', column: 'has', help: text.has, mark: ':' },
]

const fieldsFor = (typed: string, columns: ReadonlySet<string> | undefined): readonly Completion[] =>
  names
    .filter(({ name, column }) => name.toLowerCase().startsWith(typed.toLowerCase()) && columns?.has(column) !== false)
    .slice(0, 12)
    .map(({ name, help, mark }) => ({ token: `${name}${mark}`, help, isOpen: true }))

/** Independent of the page's range. */
const facetDays = 30
const mostValues = 12

type FacetValues = ResultOf<'webRows.facets'>['facets'][number]['values']

function useFacet(project: string, field: string | undefined, typed: string) {
  const contains = useDeferredValue(typed)
  return useQuery({
    queryKey: ['facet', project, field, contains],
    staleTime: 5 * 60_000,
    enabled: field !== undefined,
    placeholderData: (before: FacetValues | undefined, query) => (query?.queryKey[2] === field ? before : undefined),
    async queryFn({ signal }): Promise<FacetValues> {
      const fromStartTime = new Date(Date.now() - facetDays * 86_400_000).toISOString()
      const { facets } = await call('webRows.facets', {
        project,
        query: { fields: field, contains, limit: mostValues, fromStartTime },
        signal,
      })
      return facets[0]?.values ?? []
    },
  })
}

/**
 * If `columns` is given, the page reads the tables of v3, for which the server counts no values. The function then returns only two kinds
 * of completions: the names of fields whose column is in `columns`, and `true` and `false` as the values of boolean fields.
 */
export function useCompletions(project: string, token: Token | undefined, columns?: ReadonlySet<string>): readonly Completion[] {
  const parts = /^(-?)([A-Za-z]\w*):([=^~$]?)(.*)$/.exec(token?.text ?? '')
  const key = /^(-?(metadata|score|traceScore)\.)([^:]*)$/.exec(token?.text ?? '')
  const field = parts === null ? undefined : fieldNamed(parts[2]!)
  const asked = key === null ? (field !== undefined && counted.has(field.column) ? field.column : undefined) : key[2]
  const wanted = (key?.[3] ?? parts?.[4] ?? '').replace(/^"/, '')
  const facet = useFacet(project, columns === undefined ? asked : undefined, wanted)
  const values = facet.data?.filter(({ value }) => value.toLowerCase().includes(wanted.toLowerCase())) ?? []
  if (token === undefined) return []
  if (key !== null) {
    return values.map(({ value, count }) => ({ token: `${key[1]}${quoteKey(value)}:`, help: shortCount(count), isOpen: true }))
  }
  if (parts === null) {
    const typed = token.text.replace(/^-/, '')
    const minus = token.text.startsWith('-') ? '-' : ''
    return /^\w*$/.test(typed) ? fieldsFor(typed, columns).map(each => ({ ...each, token: minus + each.token })) : []
  }
  const [, minus = '', name = '', sign = ''] = parts
  if (field?.kind === 'boolean') {
    return ['true', 'false']
      .filter(each => each.startsWith(wanted))
      .map(each => ({ token: `${minus}${name}:${each}`, help: '', isOpen: false }))
  }
  return values.map(({ value, count }) => ({
    token: `${minus}${name}:${sign}${quoteValue(value)}`,
    help: shortCount(count),
    isOpen: false,
  }))
}
