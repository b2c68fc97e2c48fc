// Lists the recorded clients with their exact versions. If you change a client, record it again and review the result.

// Version of the OpenTelemetry SDK that the instrumentations need as a peer dependency.
const otel2 = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.1',
  '@opentelemetry/resources': '2.12.1',
  '@opentelemetry/sdk-trace-node': '2.12.0',
}

const otel3 = {
  '@opentelemetry/api': '1.10.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.301.1',
  '@opentelemetry/resources': '3.1.0',
  '@opentelemetry/sdk-trace': '3.1.0',
}

const otel203 = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/exporter-trace-otlp-http': '0.203.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.203.0',
  '@opentelemetry/resources': '2.0.1',
  '@opentelemetry/sdk-trace-node': '2.0.1',
}

const svcJs = { ...otel2, '@opentelemetry/exporter-trace-otlp-http': '0.223.1' }

const everything = ['every-field', 'every-field-gzip', 'two-traces']
const openaiCases = ['chat', 'chat-tools', 'chat-stream', 'embeddings', 'error']
const aiCases = ['generate-text-tools', 'stream-text', 'generate-object', 'embed', 'embed-many', 'error', 'anthropic-tools']

/** The clients by name. A client with `requirements` is a Python client. Each of a client's `cases` runs in its own process. */
export const clients = {
  'otel-js-http': { script: 'otel-js.mjs', packages: otel3, cases: everything },
  'otel-js-proto': { script: 'otel-js.mjs', packages: otel3, cases: everything },
  'otel-js-http-0.203': { script: 'otel-js.mjs', packages: otel203, cases: everything },
  'otel-js-proto-0.203': { script: 'otel-js.mjs', packages: otel203, cases: everything },
  'openinference-openai-js': {
    script: 'openai-js.mjs',
    packages: {
      ...otel2,
      '@arizeai/openinference-instrumentation-openai': '4.2.7',
      '@arizeai/openinference-core': '2.7.1',
      openai: '7.57.0',
    },
    cases: [...openaiCases, 'responses-tools'],
  },
  'openllmetry-openai-js': {
    script: 'openai-js.mjs',
    packages: { ...otel2, '@traceloop/instrumentation-openai': '0.27.0', openai: '7.57.0' },
    cases: openaiCases,
  },
  'openinference-langchain-js': {
    script: 'langchain-js.mjs',
    packages: {
      ...otel2,
      '@arizeai/openinference-instrumentation-langchain': '4.1.1',
      '@langchain/core': '1.2.13',
      '@langchain/openai': '1.6.0',
      zod: '4.6.7',
    },
    cases: ['chain', 'tools', 'error'],
  },
  'ai-sdk-5': {
    script: 'ai-sdk.mjs',
    packages: { ...otel2, ai: '5.0.277', '@ai-sdk/openai': '2.0.131', '@ai-sdk/anthropic': '2.0.112', zod: '4.6.7' },
    cases: aiCases,
  },
  'ai-sdk-7': {
    script: 'ai-sdk.mjs',
    packages: {
      ...otel2,
      ai: '7.0.173',
      '@ai-sdk/otel': '1.0.173',
      '@ai-sdk/openai': '4.0.118',
      '@ai-sdk/anthropic': '4.0.105',
      zod: '4.6.7',
    },
    cases: [...aiCases, 'supplemental'],
  },
  'ai-sdk-7-legacy': {
    script: 'ai-sdk.mjs',
    packages: {
      ...otel2,
      ai: '7.0.173',
      '@ai-sdk/otel': '1.0.173',
      '@ai-sdk/openai': '4.0.118',
      '@ai-sdk/anthropic': '4.0.105',
      zod: '4.6.7',
    },
    cases: aiCases,
  },
  'genkit-js': {
    script: 'genkit-js.mjs',
    packages: { ...otel2, genkit: '1.42.0', '@genkit-ai/compat-oai': '1.42.0' },
    cases: ['generate-tools', 'stream', 'embed', 'error'],
  },
  'logfire-js': {
    script: 'logfire-js.mjs',
    packages: {
      '@opentelemetry/api': '1.9.1',
      '@opentelemetry/auto-instrumentations-node': '0.77.0',
      '@opentelemetry/exporter-trace-otlp-proto': '0.223.1',
      '@pydantic/logfire-node': '0.18.25',
    },
    cases: ['spans'],
  },
  'livekit-js': {
    script: 'livekit-js.mjs',
    packages: {
      ...otel2,
      '@livekit/agents': '1.9.0',
      '@livekit/agents-plugin-openai': '1.9.0',
      '@livekit/rtc-node': '1.1.0',
      zod: '4.6.7',
    },
    cases: ['agent-turn'],
  },
  'svc-js-5': { script: 'svc-js.mjs', packages: svcJs, cases: ['generation', 'experiment', 'pinned-5.3'] },
  'mlflow-py': {
    script: 'mlflow_py.py',
    requirements: [
      'mlflow-tracing==3.17.2',
      'openai==3.54.0',
      'opentelemetry-sdk==1.38.0',
      'opentelemetry-exporter-otlp-proto-http==1.38.0',
    ],
    // No server listens at MLflow's tracking address, because spans go only to the collector.
    env: { MLFLOW_EXPERIMENT_ID: '0', MLFLOW_TRACKING_URI: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    cases: ['trace'],
  },
  'otel-py': {
    script: 'otel_py.py',
    requirements: ['opentelemetry-sdk==1.45.2', 'opentelemetry-exporter-otlp-proto-http==1.45.2'],
    cases: ['every-field', 'every-field-gzip'],
  },
  'svc-python-4': {
    script: 'svc_python.py',
    requirements: ['opentelemetry-sdk==1.45.2', 'opentelemetry-exporter-otlp-proto-http==1.45.2'],
    cases: ['generation', 'experiment'],
  },
  'svc-python-5': {
    script: 'svc_python.py',
    requirements: ['opentelemetry-sdk==1.45.2', 'opentelemetry-exporter-otlp-proto-http==1.45.2'],
    cases: ['generation', 'experiment'],
  },
  'openinference-openai-py': {
    script: 'openai_py.py',
    requirements: [
      'opentelemetry-sdk==1.45.2',
      'opentelemetry-exporter-otlp-proto-http==1.45.2',
      'openai==3.54.0',
      'openinference-instrumentation-openai==0.1.66',
    ],
    cases: openaiCases,
  },
  'openllmetry-openai-py': {
    script: 'openai_py.py',
    requirements: [
      'opentelemetry-sdk==1.45.2',
      'opentelemetry-exporter-otlp-proto-http==1.45.2',
      'openai==3.54.0',
      'opentelemetry-instrumentation-openai==0.62.4',
    ],
    cases: openaiCases,
  },
  'pydantic-ai-logfire-py': {
    script: 'pydantic_ai_py.py',
    requirements: ['pydantic-ai-slim[openai]==2.68.0', 'logfire==5.2.0'],
    // Logfire adds attributes of the machine on which it runs. The fixed attributes in `OTEL_RESOURCE_ATTRIBUTES` replace the machine's
    // attributes.
    env: {
      OTEL_RESOURCE_ATTRIBUTES: `host.name=weather-host,host.id=${'0'.repeat(32)},os.version=6.1.0,process.runtime.description=CPython`,
    },
    cases: ['agent-tools', 'structured-output', 'error'],
  },
  'smolagents-openinference-py': {
    script: 'smolagents_py.py',
    requirements: [
      'opentelemetry-sdk==1.45.2',
      'opentelemetry-exporter-otlp-proto-http==1.45.2',
      'openai==3.54.0',
      'smolagents==1.26.0',
      'openinference-instrumentation-smolagents==0.1.43',
    ],
    cases: ['tool-calling-agent'],
  },
}
