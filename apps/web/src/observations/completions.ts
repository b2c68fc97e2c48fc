// What may come next in the filter bar: names of fields, then values that the project has.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { barFields, fieldNamed } from '../filter/fields.ts'
import { quoteValue } from '../filter/write.ts'
import { shortCount } from '../text/units.ts'

export interface Completion {
  /** Takes the place of the token. */
  readonly token: string
  readonly help: string
  /** More is to be typed behind it. */
  readonly isOpen: boolean
}

interface Token {
  readonly from: number
  readonly text: string
}

/** The token before the caret. */
export function tokenAt(text: string, caret: number): Token {
  const before = text.slice(0, caret)
  const from = before.search(/\S*$/)
  return { from, text: before.slice(from) }
}

/** Dimensions of metrics by column of the filter. */
const dimensions: Readonly<Record<string, string>> = {
  name: 'name',
  type: 'type',
  level: 'level',
  model: 'providedModelName',
  environment: 'environment',
  release: 'release',
  version: 'version',
  traceName: 'traceName',
  promptName: 'promptName',
}

const fieldsFor = (typed: string): readonly Completion[] =>
  barFields
    .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, 12)
    .map(({ name, help }) => ({ token: `${name}:`, help, isOpen: true }))

/** A month of rows is asked, whatever the page shows: values are remembered longer than ranges. */
const facetDays = 30

function useFacet(project: string, dimension: string | undefined) {
  return useQuery({
    queryKey: ['facet', project, dimension],
    staleTime: 5 * 60_000,
    enabled: dimension !== undefined,
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const query = {
        view: 'observations',
        metrics: [{ measure: 'count', aggregation: 'count' }],
        dimensions: [{ field: dimension }],
        filters: [],
        fromTimestamp: new Date(now - facetDays * 86_400_000).toISOString(),
        toTimestamp: new Date(now).toISOString(),
        orderBy: [{ field: 'count_count', direction: 'desc' }],
        config: { row_limit: 100 },
      }
      const { data } = await call('metrics.metrics', { project, query: { query: JSON.stringify(query) }, signal })
      return data.flatMap(row => {
        const value = row[dimension ?? '']
        return typeof value === 'string' && value !== '' ? [{ value, count: Number(row['count_count']) }] : []
      })
    },
  })
}

export function useCompletions(project: string, token: Token | undefined): readonly Completion[] {
  const parts = /^(-?)([A-Za-z]\w*):([=^~$]?)(.*)$/.exec(token?.text ?? '')
  const field = parts === null ? undefined : fieldNamed(parts[2]!)
  const facet = useFacet(project, field && dimensions[field.column])
  if (token === undefined) return []
  if (parts === null) {
    const typed = token.text.replace(/^-/, '')
    const minus = token.text.startsWith('-') ? '-' : ''
    return /^\w*$/.test(typed) ? fieldsFor(typed).map(each => ({ ...each, token: minus + each.token })) : []
  }
  const [, minus = '', name = '', sign = '', typed = ''] = parts
  if (field?.kind === 'boolean') {
    return ['true', 'false']
      .filter(each => each.startsWith(typed))
      .map(each => ({ token: `${minus}${name}:${each}`, help: '', isOpen: false }))
  }
  const wanted = typed.replace(/^"/, '').toLowerCase()
  return (facet.data ?? [])
    .filter(({ value }) => value.toLowerCase().includes(wanted))
    .slice(0, 12)
    .map(({ value, count }) => ({ token: `${minus}${name}:${sign}${quoteValue(value)}`, help: shortCount(count), isOpen: false }))
}
