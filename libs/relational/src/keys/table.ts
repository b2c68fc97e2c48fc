// Table of the key pairs of projects and organizations.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  api_keys: columns({
    id: 'text',
    public_key: 'text',
    /** Slow hash (scrypt) with its parameters. The slow hash does not depend on the server's salt. */
    hashed_secret_key: 'text',
    /**
     * SHA-256 of the secret and the server's salt. The server finds a key by its fast hash. Null until the key is first used with a salt.
     */
    fast_hashed_secret_key: 'text?',
    /** Id of the salt with which the fast hash was made. */
    fast_hash_salt_id: 'text?',
    display_secret_key: 'text',
    /** PROJECT or ORGANIZATION. */
    scope: 'text=',
    /** Owner of a key with scope ORGANIZATION. A project's key belongs to the project's organization. */
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
