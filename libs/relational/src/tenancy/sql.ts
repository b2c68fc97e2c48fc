// Raw expressions for repositories, which import nothing else of Kysely: a statement is run by a handle, not by a connection.
export { type Expression, sql } from 'kysely'
