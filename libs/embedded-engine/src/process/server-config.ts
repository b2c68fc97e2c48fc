// The configuration of the engine and of its user. The only user has no grants for sources (files, URLs, other servers). The engine
// therefore refuses a table function that reads a source even if the guard (`sql/guard.ts`) does not know the function.
import { constantSettings, valuesSettings } from '../sql/denied.ts'

export interface ServerConfigOptions {
  /** For all allocations together. */
  readonly engineMemoryBytes: number
  /** For a single statement. */
  readonly statementMemoryBytes: number
  /** An id that differs after each start. `system.macros` contains this id, so that a client notices a restart. */
  readonly bootId: string
  readonly usersFile: string
  /** If a statement contains a relative path, the engine resolves the path against this empty folder. */
  readonly userFilesPath: string
}

/**
 * When the engine has nearly reached the memory limit, the engine's memory worker frees memory that the allocator has kept. The limit
 * applies to the engine's process, so the worker must watch the memory of this process instead of the memory of the whole container. The
 * worker also checks this memory often, so that it frees memory in time when six concurrent statements use more and more memory. The sizes
 * of the thread pools suit a small machine: at most two merges run at once, which leaves a core for inserts. Before the engine retries a
 * merge or mutation that found no free slot, it pauses. A part of this pause is random, by default up to a second. This configuration
 * shortens the random part, because a deletion changes every table and waits for the retries in each of them. Even with
 * the short random part, the retries do not collide, because there are only dozens of tables.
 */
export const serverConfigXml = (options: ServerConfigOptions): string => `<clickhouse>
  <logger><level>none</level><console>0</console></logger>
  <users_config>${options.usersFile}</users_config>
  <user_files_path>${options.userFilesPath}/</user_files_path>
  <format_schema_path>${options.userFilesPath}/</format_schema_path>
  <max_server_memory_usage>${options.engineMemoryBytes}</max_server_memory_usage>
  <memory_worker_use_cgroup>0</memory_worker_use_cgroup>
  <memory_worker_period_ms>50</memory_worker_period_ms>
  <merges_mutations_memory_usage_soft_limit>${Math.floor(options.engineMemoryBytes / 2)}</merges_mutations_memory_usage_soft_limit>
  <mark_cache_size>268435456</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <query_cache><max_size_in_bytes>0</max_size_in_bytes></query_cache>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>2</background_merges_mutations_concurrency_ratio>
  <background_processing_pool_task_sleep_seconds_when_no_work_random_part>0.05</background_processing_pool_task_sleep_seconds_when_no_work_random_part>
  <background_schedule_pool_size>8</background_schedule_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <background_move_pool_size>1</background_move_pool_size>
  <background_distributed_schedule_pool_size>1</background_distributed_schedule_pool_size>
  <background_message_broker_schedule_pool_size>1</background_message_broker_schedule_pool_size>
  <merge_tree>
    <fsync_after_insert>1</fsync_after_insert>
    <fsync_part_directory>1</fsync_part_directory>
    <number_of_free_entries_in_pool_to_execute_mutation>2</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>2</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>2</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
  <macros><svc_boot>${options.bootId}</svc_boot></macros>
</clickhouse>
`

/** Maximum size of a result. It is limited, because the engine does not count the memory of an unsent result. */
const resultBytes = 128 * 1024 * 1024

/** Grants for services and for SQL from an operator (contract §8.3). The grants do not include sources, access management or shutdown. */
const grants = [
  'GRANT SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE, CHECK ON *.*',
  'GRANT DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, KILL QUERY ON *.*',
  'GRANT SYSTEM MERGES, SYSTEM TTL MERGES, SYSTEM SYNC REPLICA, SYSTEM VIEWS, SYSTEM DROP CACHE ON *.*',
]

export const usersConfigXml = ({ statementMemoryBytes }: ServerConfigOptions): string => `<clickhouse>
  <profiles><default>
    <max_memory_usage>${statementMemoryBytes}</max_memory_usage>
    <max_result_bytes>${resultBytes}</max_result_bytes>
    <result_overflow_mode>throw</result_overflow_mode>
    <log_queries>0</log_queries>
    <use_query_cache>0</use_query_cache>
    ${valuesSettings.map(name => `<${name}>0</${name}>`).join('')}
    <constraints>
      <max_memory_usage><min>1</min><max>${statementMemoryBytes}</max></max_memory_usage>
      <max_result_bytes><min>1</min><max>${resultBytes}</max></max_result_bytes>
      <result_overflow_mode><const/></result_overflow_mode>
      <max_threads><max>64</max></max_threads>
      <max_insert_threads><max>64</max></max_insert_threads>
      ${constantSettings.map(name => `<${name}><const/></${name}>`).join('')}</constraints>
  </default></profiles>
  <quotas><default/></quotas>
  <users><default>
    <password></password>
    <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
    <profile>default</profile>
    <quota>default</quota>
    <grants>${grants.map(query => `<query>${query}</query>`).join('')}</grants>
  </default></users>
</clickhouse>
`
