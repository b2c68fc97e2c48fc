// Exports raw expressions for repositories, which may import nothing else from Kysely. Repositories run such statements only through a
// handle.
export { type Expression, sql } from 'kysely'
