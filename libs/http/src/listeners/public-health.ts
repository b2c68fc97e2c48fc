// GET /api/public/health and /api/public/ready, as SDKs and load balancers of the public API ask for them, on
// whichever port. Probes have their own port.

export interface PublicHealthOptions {
  readonly version: string
  /** Rejects when the relational store does not answer. */
  readonly checkDatabase: () => Promise<unknown>
  readonly serving: () => boolean
}

/** `answer`: JSON as the service answers it. */
export function createPublicHealth<A>(
  { version, checkDatabase, serving }: PublicHealthOptions,
  answer: (status: number, body: { readonly status: string; readonly version: string }) => A,
) {
  const ok = () => answer(200, { status: 'OK', version })
  return {
    /** 503 only when `failIfDatabaseUnavailable=true` asks for the database and it does not answer. */
    async health(failIfDatabaseUnavailable: string | null | undefined): Promise<A> {
      if (failIfDatabaseUnavailable !== 'true') return ok()
      return checkDatabase().then(ok, () => answer(503, { status: 'Database not available', version }))
    },
    ready: (): A => (serving() ? ok() : answer(500, { status: 'Not ready', version })),
  }
}
