// The sheets of the API as rows, each with a request and its documented response. Names in braces stand for ids that earlier rows created.
type Sent = 'project' | 'other' | 'organization' | 'instance'

export interface Row {
  /** Method and path: below `/api/public`, or the whole path for requests of the instance's administrator. */
  readonly request: string
  readonly body?: unknown
  readonly status: number
  /** Fields that the response must contain. */
  readonly says?: unknown
  /** The name under which later rows use the id of the response. */
  readonly as?: string
  readonly by?: Sent
}

type More = Omit<Row, 'request' | 'body' | 'status'>

/** A request that is accepted. */
export const good = (request: string, body?: unknown, says?: unknown, more: More & { readonly status?: number } = {}): Row => ({
  status: 200,
  request,
  ...(body !== undefined && { body }),
  ...(says !== undefined && { says }),
  ...more,
})

/** A valid body with each of these changes is refused. A change to `undefined` removes the field. */
export const refused = (request: string, status: number, base: object, changes: readonly object[], more: More = {}): readonly Row[] =>
  changes.map(change => ({ request, status, body: { ...base, ...change }, ...more }))

/** A request with each of these queries, or paths, is refused. */
export const refusedAt = (request: string, status: number, ends: readonly string[], more: More = {}): readonly Row[] =>
  ends.map(end => ({ request: `${request}${end}`, status, ...more }))

/** Page parameters that every paginated list refuses. */
export const badPages = ['?page=0', '?page=a', '?page=1.5', '?limit=0', '?limit=101', '?limit=a']
