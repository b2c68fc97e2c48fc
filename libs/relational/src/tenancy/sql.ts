// Raw expressions for repositories, which import nothing else from Kysely. A handle runs a statement, not a connection.
export { type Expression, sql } from 'kysely'
