// Names that callers must not use. The engine also refuses nearly all of them, because its user has no grant on sources (see
// process/server-config.ts). The engine does not refuse the scalar file(), Executable and `eval`, so only this list prevents their use.

/**
 * Table functions that read no files, use no network, and run no text as SQL. All other functions in `system.table_functions` are refused,
 * until a developer has reviewed them. Some functions take the structure of a table as a text: values, format, null, generateRandom. These
 * functions are not in the list, because the text can contain a `DEFAULT file(…)`, which the engine would run. The text can also be the
 * result of an expression, so this code could not check it.
 */
const harmlessTableFunctions: ReadonlySet<string> = new Set(
  `dictionary generateSeries generate_series loop merge mergeTreeAnalyzeIndexes
   mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection mergeTreeTextIndex numbers numbers_mt primes
   timeSeriesData timeSeriesMetrics timeSeriesSamples timeSeriesSelector timeSeriesTags view viewExplain viewIfPermitted zeros zeros_mt`
    .split(/\s+/)
    .map(name => name.toLowerCase()),
)

/**
 * Scalar functions that read files, load models, or connect to servers. No grant restricts them, and they can be called without a
 * parenthesis (`arrayMap(file, …)`, `APPLY file`). Their names are therefore refused everywhere, even as columns and aliases.
 */
const readingFunctions = `file catboostEvaluate hasColumnInTable aiClassify aiEmbed aiExtract aiGenerate aiTranslate`
  .split(' ')
  .map(name => name.toLowerCase())

/**
 * Table functions that read sources. These functions are refused even if the running engine does not have them. Columns may have these
 * names.
 */
const deniedFunctions = `eval executable input disk python
  format values null generateRandom fuzzJSON fuzzQuery SQLStandardValues
  url urlCluster s3 s3Cluster gcs oss cosn azureBlobStorage azureBlobStorageCluster hdfs hdfsCluster fileCluster filesystem
  remote remoteSecure cluster clusterAllReplicas mysql postgresql mongodb redis sqlite odbc jdbc ytsaurus arrowFlight arrowstream
  iceberg icebergS3 icebergAzure icebergHDFS icebergLocal icebergCluster deltaLake deltaLakeS3 deltaLakeAzure deltaLakeLocal deltaLakeCluster
  hudi hudiCluster paimon paimonS3 paimonLocal hive meiliSearch prometheusQuery prometheusQueryRange nats kafka rabbitmq`
  .split(/\s+/)
  .map(name => name.toLowerCase())

/** Engines that store data only in the data directory. */
const harmlessEngines: ReadonlySet<string> = new Set(
  'log tinylog stripelog memory null set join buffer merge view materializedview generaterandom atomic'.split(' '),
)

/** Names that are read from system.table_functions, system.table_engines and system.database_engines. */
export interface EngineFeatures {
  readonly tableFunctions: readonly string[]
  readonly engines: readonly string[]
}

export interface DeniedNames {
  /** Lower-case names that are forbidden everywhere except in strings. */
  readonly anywhere: ReadonlySet<string>
  /** Lower-case names that are forbidden before an opening parenthesis. */
  readonly functions: ReadonlySet<string>
  /** Lower-case names that are forbidden after the word ENGINE. */
  readonly engines: ReadonlySet<string>
}

const lower = (names: readonly string[]): string[] => names.map(name => name.toLowerCase())

export const deniedNames = ({ tableFunctions, engines }: EngineFeatures): DeniedNames => ({
  anywhere: new Set(readingFunctions),
  functions: new Set([...deniedFunctions, ...lower(tableFunctions).filter(name => !harmlessTableFunctions.has(name))]),
  engines: new Set(lower(engines).filter(name => !name.endsWith('mergetree') && !harmlessEngines.has(name))),
})

/**
 * Settings that read or write a file, use the network, run text as SQL, or change the syntax that this guard parses. The guard refuses
 * statements that set these settings. The engine's profile also makes these settings constant.
 */
export const constantSettings =
  `dialect allow_experimental_kusto_dialect allow_experimental_prql_dialect allow_experimental_polyglot_dialect
  allow_experimental_eval_table_function allow_experimental_ai_functions ai_function_embedding_default_credentials
  ai_function_text_default_credentials polyglot_dialect format_schema format_schema_source format_schema_message_name output_format_schema
  format_template_row format_template_resultset format_avro_schema_registry_url input_format_record_errors_file_path rename_files_after_processing
  allow_introspection_functions additional_table_filters additional_result_filter parallel_replicas_custom_key schema_inference_hints
  implicit_table_at_top_level url_base filesystem_cache_name`.split(/\s+/)

/**
 * Settings that would make `format(Values, …)` evaluate SQL inside a string. The guard does not check the contents of strings, so these
 * settings are off. They are on only for an INSERT … VALUES, after `checkValuesData` has checked the data. A caller's statement must not
 * contain the names of these settings, even without a value, because `SETTINGS name` sets the setting to 1.
 */
export const valuesSettings = ['input_format_values_interpret_expressions', 'input_format_values_deduce_templates_of_expressions'] as const

export const deniedSettings: ReadonlySet<string> = new Set([...constantSettings, ...valuesSettings, 'disk', 'table_disk'])
