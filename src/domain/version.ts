// The version of this program, as package.json says it; a test keeps the two equal.

export const VERSION = "0.1.0";
