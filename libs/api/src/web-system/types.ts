// Response types of the installation page.
import { z } from 'zod'
import { responseTime } from '../fields/fields.ts'

export const SystemStatus = z
  .object({
    version: z.string(),
    writeMode: z.string(),
    /** The server's current time, with which the client compares the other times. */
    at: responseTime,
    /** For each ingestion path, the time up to which all acknowledged data is readable, or null if that time is unknown. */
    paths: z.array(z.object({ path: z.string(), completeUntil: responseTime.nullable() })),
    /**
     * For each consumer group and topic, the number of uncommitted records, and the age of the oldest of these records in milliseconds.
     * Null while the log does not respond.
     */
    backlog: z.array(z.object({ group: z.string(), topic: z.string(), records: z.int(), oldestMs: z.int() })).nullable(),
    /** Number of dead letters on the log, or null while the log does not respond. */
    deadLetters: z.int().nullable(),
    /**
     * For each topic, the number of acknowledged items that are neither stored, dead-lettered, nor denied. Null if these numbers are
     * unknown.
     */
    unaccounted: z.array(z.object({ topic: z.string(), items: z.int() })).nullable(),
  })
  .meta({ id: 'SystemStatus' })

/** The SDKs that sent data in the last seven days, each with the upgrade that it needs, if any. */
export const SystemSdks = z
  .object({
    since: z.string(),
    sdks: z.array(
      z.object({
        ...{ sdk: z.string(), version: z.string(), path: z.string() },
        ...{ requests: z.int(), spans: z.int(), events: z.int(), scores: z.int() },
        lastSeen: responseTime,
        /**
         * The version or SDK to which the client must upgrade before the switch to `events_only`, or null if the client needs no upgrade.
         */
        move: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'SystemSdks' })

/** Steps that copy v3's data to the events tables. The list is empty if the installation has no such steps. */
export const SystemMigration = z
  .object({
    writeMode: z.string(),
    isPaused: z.boolean(),
    /**
     * `none`: v3 stored no data. `waiting`: the copy has not begun, or has found no rows yet. `interrupted`: the copy has begun, but no
     * runner works on it.
     */
    state: z.enum(['none', 'waiting', 'running', 'interrupted', 'failed', 'finished']),
    /** Finished share of all steps that copy rows, from 0 to 1. */
    ratio: z.number(),
    /** A sentence about records that the current migration does not copy, or null if there are no such records. */
    missed: z.string().nullable(),
    steps: z.array(
      z.object({
        name: z.string(),
        status: z.enum(['waiting', 'running', 'interrupted', 'finished', 'failed']),
        ...{ rows: z.int(), totalRows: z.int() },
        /** The finished share of the step, from 0 to 1. */
        ratio: z.number(),
        /** The month that the step is copying, for example 202611, or null if the step copies no month. */
        month: z.int().nullable(),
        failedReason: z.string().nullable(),
        rowsPerSecond: z.int().nullable(),
        secondsLeft: z.int().nullable(),
      }),
    ),
  })
  .meta({ id: 'SystemMigration' })
