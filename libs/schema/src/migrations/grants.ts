// Checks the permissions of the column store's user (contract §8.3) before any statement runs. If a migration failed halfway because of a
// missing grant, an operator would have to repair the schema by hand.
import type { Placement } from '../dialect.ts'
import { MigrationError } from './migration-error.ts'
import type { ColumnStorePort } from './port.ts'

interface Grant {
  readonly privileges: string
  /** Undefined for a grant without a database. */
  readonly on?: string
}

/** Returns the grants that migrations and running services need. */
export function requiredGrants(placement: Placement): readonly Grant[] {
  const tables = `\`${placement.database}\`.*`
  return [
    { privileges: 'SELECT, INSERT, CREATE TABLE, CREATE VIEW, DROP TABLE, DROP VIEW', on: tables },
    { privileges: 'ALTER UPDATE, ALTER DELETE', on: tables },
    { privileges: 'ALTER ADD COLUMN, ALTER MODIFY COLUMN, ALTER DROP COLUMN, ALTER COMMENT COLUMN, ALTER VIEW MODIFY QUERY', on: tables },
    { privileges: 'ALTER ADD INDEX, ALTER DROP INDEX, ALTER MATERIALIZE INDEX, ALTER ORDER BY, ALTER SETTINGS', on: tables },
    { privileges: 'SELECT(database, table, name, partition, partition_id, active, rows)', on: 'system.parts' },
    { privileges: 'SELECT(database, table, is_done)', on: 'system.mutations' },
    { privileges: 'SELECT(database, name, engine, sorting_key)', on: 'system.tables' },
    { privileges: 'SELECT', on: 'system.processes' },
    { privileges: 'SELECT', on: 'system.query_log*' },
    ...(placement.clustered ? [{ privileges: 'READ ON REMOTE' }, { privileges: 'CLUSTER', on: '*.*' }] : []),
  ]
}

/** Returns additional grants that the backfill needs. Managed servers allow only the last of these grants. */
export function backfillGrants(placement: Placement): readonly Grant[] {
  const scratch = `\`${placement.database}\`.observations_pid_tid_sorting`
  return [
    { privileges: 'SYSTEM SYNC REPLICA, SYSTEM MERGES', on: scratch },
    { privileges: 'ALTER SETTINGS', on: scratch },
  ]
}

const clause = ({ privileges, on }: Grant) => (on === undefined ? privileges : `${privileges} ON ${on}`)

const has = async (port: ColumnStorePort, grants: readonly Grant[]): Promise<boolean> =>
  (await port.ask(`CHECK GRANT ${grants.map(clause).join(', ')}`)).trim() === '1'

/** Returns statements that give the missing grants. An administrator can run these statements as printed. */
export async function missingGrants(port: ColumnStorePort, grants: readonly Grant[]): Promise<readonly string[]> {
  if (await has(port, grants)) return []
  const [row] = await port.query<{ user: string }>('SELECT currentUser() AS user')
  const missing: string[] = []
  for (const grant of grants) {
    for (const each of singly(grant)) if (!(await has(port, [each]))) missing.push(`GRANT ${clause(each)} TO \`${row!.user}\`;`)
  }
  return missing
}

/**
 * Splits a grant into one grant per privilege, so that an error names only the missing privileges. The columns of a privilege stay with the
 * privilege.
 */
const singly = ({ privileges, ...rest }: Grant): readonly Grant[] =>
  privileges.split(/, (?![^(]*\))/).map(privilege => ({ privileges: privilege, ...rest }))

/** Rejects with `missing_grants`. */
export async function checkGrants(port: ColumnStorePort, placement: Placement): Promise<void> {
  const missing = await missingGrants(port, requiredGrants(placement))
  if (missing.length === 0) return
  const text = `The column store's user may not do what the migrations need. Nothing was changed. Run as an administrator: ${missing.join(' ')}`
  throw new MigrationError('missing_grants', text)
}
