// Each test row has a request and its documented response. A name in braces stands for the id of an object that an earlier row created.
type Sent = 'project' | 'other' | 'organization' | 'instance'

export interface Row {
  /** The method and the path. If `by` is `instance`, this is the whole path. Otherwise, the path is relative to `/api/public`. */
  readonly request: string
  readonly body?: unknown
  readonly status: number
  /** The contents that the response must have. */
  readonly says?: unknown
  /** A name for the id in this row's response. Later rows contain this name in braces instead of the id, for example `{dataset}`. */
  readonly as?: string
  readonly by?: Sent
}

type More = Omit<Row, 'request' | 'body' | 'status'>

export const good = (request: string, body?: unknown, says?: unknown, more: More & { readonly status?: number } = {}): Row => ({
  status: 200,
  request,
  ...(body !== undefined && { body }),
  ...(says !== undefined && { says }),
  ...more,
})

/**
 * Makes one row for each change of a valid body. The API must refuse the changed body. If a change sets a field to `undefined`, the changed
 * body lacks this field.
 */
export const refused = (request: string, status: number, base: object, changes: readonly object[], more: More = {}): readonly Row[] =>
  changes.map(change => ({ request, status, body: { ...base, ...change }, ...more }))

export const refusedAt = (request: string, status: number, ends: readonly string[], more: More = {}): readonly Row[] =>
  ends.map(end => ({ request: `${request}${end}`, status, ...more }))

/** Every paginated list refuses these parameters. */
export const badPages = ['?page=0', '?page=a', '?page=1.5', '?limit=0', '?limit=101', '?limit=a']
