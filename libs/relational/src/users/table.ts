import { columns, type Tables } from '../tenancy/columns.ts'

export const tables = {
  users: columns({
    id: 'text',
    name: 'text?',
    /** In lowercase. */
    email: 'text?',
    email_verified: 'time?',
    /** Hash of the password by argon2id, or by v3's bcrypt. Null for a user who signs in with a link or through an identity provider. */
    password: 'text?',
    image: 'text?',
    created_at: 'time=',
    updated_at: 'time=',
    feature_flags: 'texts?',
    admin: 'boolean=',
  }),
  sign_in_sessions: columns({
    /** SHA-256 of the token. Only the user's browser has the token itself. */
    token_hash: 'text',
    user_id: 'text',
    created_at: 'time',
    last_used_at: 'time',
  }),
  one_time_links: columns({
    /** SHA-256 of the token. The token itself is only in the sign-in link that the user gets. */
    token_hash: 'text',
    user_id: 'text',
    created_at: 'time',
    expires_at: 'time',
  }),
}

declare module '../store/database.ts' {
  interface Database extends Tables<typeof tables> {}
}
