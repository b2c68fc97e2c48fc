// Creates the responses to GET /api/public/health and /api/public/ready, on any port. SDKs and load balancers of the public API send these
// requests.

export interface PublicHealthOptions {
  readonly version: string
  /** Rejects if the relational store does not respond. */
  readonly checkDatabase: () => Promise<unknown>
  readonly serving: () => boolean
}

export function createPublicHealth<A>(
  { version, checkDatabase, serving }: PublicHealthOptions,
  answer: (status: number, body: { readonly status: string; readonly version: string }) => A,
) {
  const ok = () => answer(200, { status: 'OK', version })
  return {
    /** Returns 503 only if `failIfDatabaseUnavailable=true` and the database does not respond. */
    async health(failIfDatabaseUnavailable: string | null | undefined): Promise<A> {
      if (failIfDatabaseUnavailable !== 'true') return ok()
      return checkDatabase().then(ok, () => answer(503, { status: 'Database not available', version }))
    },
    ready: (): A => (serving() ? ok() : answer(500, { status: 'Not ready', version })),
  }
}
