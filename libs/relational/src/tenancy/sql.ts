// The parts of Kysely that repositories use. Repositories run statements only through a handle (`handles.ts`).
export { type Expression, sql } from 'kysely'
