// Each test row has a request and its documented response. A name in braces stands for the id of an object that an earlier row created.
type Sent = 'project' | 'other' | 'organization' | 'instance'

export interface Row {
  /** Method and path below `/api/public`, or the whole path for the instance's administrator. */
  readonly request: string
  readonly body?: unknown
  readonly status: number
  /** What the response must contain. */
  readonly says?: unknown
  /** Name by which later rows refer to the id in the response. */
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

/** One row for each change to a valid body. The API must refuse the changed body. `undefined` removes a field. */
export const refused = (request: string, status: number, base: object, changes: readonly object[], more: More = {}): readonly Row[] =>
  changes.map(change => ({ request, status, body: { ...base, ...change }, ...more }))

export const refusedAt = (request: string, status: number, ends: readonly string[], more: More = {}): readonly Row[] =>
  ends.map(end => ({ request: `${request}${end}`, status, ...more }))

/** Refused by every paginated list. */
export const badPages = ['?page=0', '?page=a', '?page=1.5', '?limit=0', '?limit=101', '?limit=a']
