// Raw expressions for repositories, which import nothing else from Kysely: a handle, not a connection, runs a statement.
export { type Expression, sql } from 'kysely'
