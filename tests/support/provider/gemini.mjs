// The Gemini protocol: `POST /v1beta/models/{model}:streamGenerateContent?alt=sse`, `GET /v1beta/models`.

const STATUSES = { 400: 'INVALID_ARGUMENT', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND', 429: 'RESOURCE_EXHAUSTED' };

const data = (value) => `data: ${JSON.stringify(value)}\r\n\r\n`;
const fault = (status, message) => ({ error: { code: status, message, status: STATUSES[status] ?? 'UNAVAILABLE' } });
const candidate = (parts, more = {}) => data({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] });

export const gemini = {
  base: '/v1beta',
  allowHeaders: ['x-goog-api-key', 'x-goog-api-client', 'content-type'],
  isChat: (path) => /^\/v1beta\/models\/[^/]+:streamGenerateContent$/.test(path),
  isModels: (path) => path === '/v1beta/models',
  key: (headers) => headers['x-goog-api-key'],
  model: (request) => decodeURIComponent(/\/models\/([^/]+):/.exec(request.path)?.[1] ?? ''),
  user: (request) =>
    request.body?.contents?.findLast((content) => content.role === 'user')?.parts?.map((part) => part.text ?? '').join(''),

  begin: () => '',
  reasoning: (request, pieces) => pieces.map((piece) => candidate([{ text: piece, thought: true }])),
  text: (request, piece) => candidate([{ text: piece }]),
  call: () => candidate([{ functionCall: { name: 'roll', args: {} } }]),
  end: (request, plan, usage) => [
    data({
      candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: plan.finish ?? 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: usage.prompt,
        ...(usage.cached !== undefined && { cachedContentTokenCount: usage.cached }),
        candidatesTokenCount: usage.completion,
        totalTokenCount: usage.prompt + usage.completion,
      },
    }),
  ],
  errorAmid: (message) => data(fault(503, message)),

  error: fault,
  /** The real one answers 400, not 401. */
  wrongKey: { status: 400, message: 'API key not valid. Please pass a valid API key.' },
  models: (names) => ({
    models: names.map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ['generateContent'],
    })),
  }),
};
