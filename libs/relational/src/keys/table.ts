import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  api_keys: columns({
    id: 'text',
    public_key: 'text',
    /** Slow hash (scrypt) with its parameters, independent of the server's salt. */
    hashed_secret_key: 'text',
    /** SHA-256 of the secret and the server's salt. Null until the key is first used with a salt. */
    fast_hashed_secret_key: 'text?',
    /** Identifies the salt of the fast hash. */
    fast_hash_salt_id: 'text?',
    display_secret_key: 'text',
    /** PROJECT or ORGANIZATION. */
    scope: 'text=',
    /** Only for keys with scope ORGANIZATION. */
    organization_id: 'text?',
    project_id: 'text?',
    note: 'text?',
    created_at: 'time=',
    last_used_at: 'time?',
    expires_at: 'time?',
    revoked_at: 'time?',
    is_in_app_agent_key: 'boolean=',
    created_by_user_id: 'text?',
    created_by_api_key_id: 'text?',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
