// The parts of Kysely that repositories use. Repositories run statements only through a handle.
export { type Expression, sql } from 'kysely'
