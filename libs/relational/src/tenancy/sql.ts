// Exports what repositories use of Kysely: raw SQL expressions. Repositories run statements only through a handle.
export { type Expression, sql } from 'kysely'
