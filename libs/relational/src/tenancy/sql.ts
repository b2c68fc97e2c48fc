// Exports the parts of Kysely that repositories use: raw SQL expressions. Repositories run statements only through a handle.
export { type Expression, sql } from 'kysely'
