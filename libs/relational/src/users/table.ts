// Tables of users and their sign-in data. v3's `updated_at` columns have no default.
import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  users: columns({
    id: 'text',
    name: 'text?',
    /** Email address in lowercase. */
    email: 'text?',
    email_verified: 'time?',
    /** Password hash, which is argon2id or v3's bcrypt. Null for a user who signs in with a link or through an identity provider. */
    password: 'text?',
    image: 'text?',
    created_at: 'time=',
    updated_at: 'time=',
    feature_flags: 'texts?',
    admin: 'boolean=',
  }),
  sign_in_sessions: columns({
    /** SHA-256 of the session's token. Only the browser has the token itself. */
    token_hash: 'text',
    user_id: 'text',
    created_at: 'time',
    last_used_at: 'time',
  }),
  one_time_links: columns({
    /** SHA-256 of the link's token. Only the link contains the token itself. */
    token_hash: 'text',
    user_id: 'text',
    created_at: 'time',
    expires_at: 'time',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
