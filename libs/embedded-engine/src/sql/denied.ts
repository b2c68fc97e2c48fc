// What no caller may name. The engine's own access control (no source is granted, see
// process/server-config.ts) refuses nearly all of it too; the scalar file(), Executable and `eval` are known
// to pass there, and a second wall costs microseconds.

/**
 * Table functions that neither read files nor reach the network nor run text as SQL. Every other name in
 * `system.table_functions` is refused, so a function that a later engine adds is refused until somebody has
 * looked at it. Not among them: what takes a structure as text (values, format, null, generateRandom): `a
 * String DEFAULT file(…)` in it is run, and the text may be put together by any expression.
 */
const harmlessTableFunctions: ReadonlySet<string> = new Set(
  `dictionary generateSeries generate_series loop merge mergeTreeAnalyzeIndexes
   mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection mergeTreeTextIndex numbers numbers_mt primes
   timeSeriesData timeSeriesMetrics timeSeriesSamples timeSeriesSelector timeSeriesTags view viewExplain viewIfPermitted zeros zeros_mt`
    .split(/\s+/)
    .map(name => name.toLowerCase()),
)

/**
 * Scalar functions that read files, load models or connect. No grant of the engine covers them, and a
 * function needs no parenthesis to be called (`arrayMap(file, …)`, `APPLY file`), so these names are refused
 * wherever they stand, as columns and aliases, too.
 */
const readingFunctions = `file catboostEvaluate hasColumnInTable aiClassify aiEmbed aiExtract aiGenerate aiTranslate`
  .split(' ')
  .map(name => name.toLowerCase())

/**
 * Known by name whatever the engine lists: the sources of the last years. Table functions; as columns their
 * names are harmless.
 */
const deniedFunctions = `eval executable input disk python
  format values null generateRandom fuzzJSON fuzzQuery SQLStandardValues
  url urlCluster s3 s3Cluster gcs oss cosn azureBlobStorage azureBlobStorageCluster hdfs hdfsCluster fileCluster filesystem
  remote remoteSecure cluster clusterAllReplicas mysql postgresql mongodb redis sqlite odbc jdbc ytsaurus arrowFlight arrowstream
  iceberg icebergS3 icebergAzure icebergHDFS icebergLocal icebergCluster deltaLake deltaLakeS3 deltaLakeAzure deltaLakeLocal deltaLakeCluster
  hudi hudiCluster paimon paimonS3 paimonLocal hive meiliSearch prometheusQuery prometheusQueryRange nats kafka rabbitmq`
  .split(/\s+/)
  .map(name => name.toLowerCase())

/** Engines of tables and databases that keep their data in the data directory and nowhere else. */
const harmlessEngines: ReadonlySet<string> = new Set(
  'log tinylog stripelog memory null set join buffer merge view materializedview generaterandom atomic'.split(' '),
)

/**
 * What the running engine offers, from system.table_functions, system.table_engines and
 * system.database_engines.
 */
export interface EngineFeatures {
  readonly tableFunctions: readonly string[]
  readonly engines: readonly string[]
}

export interface DeniedNames {
  /** May not stand anywhere outside of strings; lower case. */
  readonly anywhere: ReadonlySet<string>
  /** May not stand before an opening parenthesis; lower case. */
  readonly functions: ReadonlySet<string>
  /** May not stand behind ENGINE; lower case. */
  readonly engines: ReadonlySet<string>
}

const lower = (names: readonly string[]): string[] => names.map(name => name.toLowerCase())

export const deniedNames = ({ tableFunctions, engines }: EngineFeatures): DeniedNames => ({
  anywhere: new Set(readingFunctions),
  functions: new Set([...deniedFunctions, ...lower(tableFunctions).filter(name => !harmlessTableFunctions.has(name))]),
  engines: new Set(lower(engines).filter(name => !name.endsWith('mergetree') && !harmlessEngines.has(name))),
})

/**
 * Settings that read or write a file, reach the network, run text as SQL, or switch the language that this
 * guard reads. They are constants in the engine's profile as well.
 */
export const constantSettings =
  `dialect allow_experimental_kusto_dialect allow_experimental_prql_dialect allow_experimental_polyglot_dialect
  allow_experimental_eval_table_function allow_experimental_ai_functions ai_function_embedding_default_credentials
  ai_function_text_default_credentials polyglot_dialect format_schema format_schema_source format_schema_message_name output_format_schema
  format_template_row format_template_resultset format_avro_schema_registry_url input_format_record_errors_file_path rename_files_after_processing
  allow_introspection_functions additional_table_filters additional_result_filter parallel_replicas_custom_key schema_inference_hints
  implicit_table_at_top_level url_base filesystem_cache_name`.split(/\s+/)

/**
 * Off in the profile: `format(Values, …)` evaluates SQL that stands inside a string, where no guard looks.
 * The front switches them on for the INSERT … VALUES whose data it has read. Refused by name, with or without
 * a value: `SETTINGS name` alone means 1.
 */
export const valuesSettings = ['input_format_values_interpret_expressions', 'input_format_values_deduce_templates_of_expressions'] as const

export const deniedSettings: ReadonlySet<string> = new Set([...constantSettings, ...valuesSettings, 'disk', 'table_disk'])
