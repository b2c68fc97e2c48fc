// The sheets of the API consist of rows, each with a request and its documented response. A name in braces represents the id of an object
// that an earlier row created.
type Sent = 'project' | 'other' | 'organization' | 'instance'

export interface Row {
  /** Method and path. The path is below `/api/public`, or it is the whole path for requests of the instance's administrator. */
  readonly request: string
  readonly body?: unknown
  readonly status: number
  /** Fields that the response must contain. */
  readonly says?: unknown
  /** The name by which later rows refer to the id in the response. */
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

/**
 * A row for each change to a valid body. The API must refuse the body with any one of these changes. A change to `undefined` removes the
 * field.
 */
export const refused = (request: string, status: number, base: object, changes: readonly object[], more: More = {}): readonly Row[] =>
  changes.map(change => ({ request, status, body: { ...base, ...change }, ...more }))

/** Rows for a request with each of the given queries or paths, all of which the API must refuse. */
export const refusedAt = (request: string, status: number, ends: readonly string[], more: More = {}): readonly Row[] =>
  ends.map(end => ({ request: `${request}${end}`, status, ...more }))

/** Page parameters that every paginated list refuses. */
export const badPages = ['?page=0', '?page=a', '?page=1.5', '?limit=0', '?limit=101', '?limit=a']
