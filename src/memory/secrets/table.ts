// The table of secret formats.

export interface SecretRule {
  readonly id: string;
  /** Global; group 1, if there is one, is the secret. */
  readonly pattern: RegExp;
}

export const SECRET_RULES: readonly SecretRule[] = [
  { id: "anthropic-api-key", pattern: /\bsk-ant-(?:api03|admin01)-[\w-]{80,}/gu },
  { id: "github-pat", pattern: /gh[pousr]_[A-Za-z0-9]{36}/gu },
  {
    id: "private-key",
    pattern: /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----[\s\S]{64,}?KEY(?: BLOCK)?-----/gu,
  },
  { id: "password", pattern: /\bpassword(?: is|:|=)\s+["']?([^\s"',]{6,})/giu },
];
