// What no caller may name. The engine's own access control (no source is granted, see process/server-config.ts) refuses nearly all of it
// too; the scalar file(), Executable and `eval` are known to pass there, and a second wall costs microseconds.

/**
 * Table functions that neither read files nor reach the network nor run text as SQL. Every other name in `system.table_functions`
 * is refused, so a function that a later engine adds is refused until somebody has looked at it.
 */
const harmlessTableFunctions: ReadonlySet<string> = new Set(
  `dictionary format fuzzJSON fuzzQuery generateRandom generateSeries generate_series loop merge mergeTreeAnalyzeIndexes
   mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection mergeTreeTextIndex null numbers numbers_mt primes SQLStandardValues
   timeSeriesData timeSeriesMetrics timeSeriesSamples timeSeriesSelector timeSeriesTags values view viewExplain viewIfPermitted zeros zeros_mt`
    .split(/\s+/)
    .map(name => name.toLowerCase()),
)

/** Known by name whatever the engine lists: scalar functions that read files, load models or connect, and the sources of the last years. */
const deniedFunctions = `file catboostEvaluate hasColumnInTable eval executable input disk python
  aiClassify aiEmbed aiExtract aiGenerate aiTranslate
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

/** What the running engine offers, from system.table_functions, system.table_engines and system.database_engines. */
export interface EngineFeatures {
  readonly tableFunctions: readonly string[]
  readonly engines: readonly string[]
}

export interface DeniedNames {
  /** May not stand before an opening parenthesis; lower case. */
  readonly functions: ReadonlySet<string>
  /** May not stand behind ENGINE; lower case. */
  readonly engines: ReadonlySet<string>
}

const lower = (names: readonly string[]): string[] => names.map(name => name.toLowerCase())

export const deniedNames = ({ tableFunctions, engines }: EngineFeatures): DeniedNames => ({
  functions: new Set([...deniedFunctions, ...lower(tableFunctions).filter(name => !harmlessTableFunctions.has(name))]),
  engines: new Set(lower(engines).filter(name => !name.endsWith('mergetree') && !harmlessEngines.has(name))),
})

/**
 * Settings that read or write a file, reach the network, run text as SQL, or switch the language that this guard reads.
 * They are constants in the engine's profile as well.
 */
export const constantSettings =
  `dialect allow_experimental_kusto_dialect allow_experimental_prql_dialect allow_experimental_polyglot_dialect
  allow_experimental_eval_table_function allow_experimental_ai_functions format_schema format_schema_source format_schema_message_name
  format_template_row format_template_resultset format_avro_schema_registry_url input_format_record_errors_file_path
  allow_introspection_functions`.split(/\s+/)

/**
 * Off in the profile: `format(Values, …)` evaluates SQL that stands inside a string, where no guard looks. The front switches them on for
 * the INSERT … VALUES whose data it has read. Refused by name, with or without a value: `SETTINGS name` alone means 1.
 */
export const valuesSettings = ['input_format_values_interpret_expressions', 'input_format_values_deduce_templates_of_expressions'] as const

export const deniedSettings: ReadonlySet<string> = new Set([...constantSettings, ...valuesSettings, 'disk', 'table_disk'])
